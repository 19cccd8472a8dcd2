/** Formats a point in time as short text. */
export function since(iso: string, now: Date): string {
  const then = new Date(iso);
  if (then.toDateString() === now.toDateString()) return timeOfDay(then);
  return `${then.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${timeOfDay(then)}`;
}

/** For a time that is so near that its day is clear. */
export function timeOfDay(date: Date): string {
  return date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
