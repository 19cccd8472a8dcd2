/**
 * One JSON object per line. Values are ours: names of events, routes, codes and counts; no tokens, no terminal
 * bytes, nothing a person named. Written when something begins, ends or goes wrong, never per frame.
 */
interface LogDetails {
  readonly route?: string;
  readonly role?: string;
  readonly code?: number | string;
  readonly generation?: number;
  readonly clients?: number;
  readonly sessions?: number;
  /** The class of an error, never its message: that may quote what was being handled. */
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
