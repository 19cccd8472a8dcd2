/**
 * Lines with their number and the time they were printed, all of the same length. The time is that of the process that
 * prints them: it stands still while the process does.
 */
export const LINE_BYTES = 32;
export const SCREEN_LINES = 100;
export const LINES_PER_STEP = 100;
export const STEP_MS = 5;

export function lineOf(number: number, at: number): string {
  return `${String(number).padStart(15, '0')} ${String(at).padStart(15, '0')}\n`;
}

export interface PrintedLine {
  readonly number: number;
  readonly at: number;
}

/** The whole lines of a text. */
export function linesOf(text: string): PrintedLine[] {
  const whole = text.slice(0, text.length - (text.length % LINE_BYTES));
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line) => ({ number: Number(line.slice(0, 15)), at: Number(line.slice(16)) }));
}
