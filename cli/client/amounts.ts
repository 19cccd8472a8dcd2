/** Amounts for people. */

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** "2.1 MB". */
export function printedAmount(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let amount = bytes;
  let unit = -1;
  while (amount >= 999.95 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit++;
  }
  return `${amount.toFixed(1)} ${UNITS[Math.max(0, unit)]}`;
}

/** "14:02", with the date when it is another day. */
export function momentText(iso: string, now: Date): string {
  const then = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`;
  if (then.toDateString() === now.toDateString()) return time;
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${time}`;
}
