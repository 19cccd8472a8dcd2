/** Formats a point in time as short text. */
export function since(iso: string, now: Date): string {
  const then = new Date(iso);
  const time = then.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  if (then.toDateString() === now.toDateString()) return time;
  return `${then.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`;
}
