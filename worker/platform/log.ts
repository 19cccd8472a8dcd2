/**
 * Writes the log: one JSON object per line. It contains only event names, routes, codes and counts; never tokens,
 * terminal bytes or anything a person named. A line is written when something begins, ends or fails, never per frame.
 */
interface LogDetails {
  readonly route?: string;
  readonly role?: string;
  readonly code?: number | string;
  readonly generation?: number;
  readonly clients?: number;
  readonly sessions?: number;
  /** The class of an error, never its message, which may quote the data being handled. */
  readonly error?: string;
  readonly step?: number;
}

export function log(level: 'info' | 'warn' | 'error', event: string, details: LogDetails = {}): void {
  const line = JSON.stringify({ level, event, ...details });
  if (level === 'info') console.log(line);
  else console.error(line);
}

export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
