/**
 * The log of the agent and its keeper on stderr: one JSON object per line for machines, or readable lines on a terminal. It never contains
 * terminal bytes, tokens or anything a program printed. Reasons may come from the relay.
 */
import { SENTENCE_MAX_CHARS } from '../protocol/limits.ts';
import { printable, printableJson } from '../protocol/printable.ts';

type Level = 'info' | 'warn' | 'error';
export type Details = Readonly<Record<string, string | number | boolean | null>>;
export type Log = (level: Level, event: string, details?: Details) => void;

export function createLog(write: (line: string) => void, isPretty: boolean, now: () => Date): Log {
  const format = isPretty ? pretty : json;
  return (level, event, details = {}) => write(format(now(), level, event, details));
}

export const logEvent: Log = createLog(
  (line) => process.stderr.write(`${line}\n`),
  process.stderr.isTTY === true,
  () => new Date(),
);

/** Nobody may read the log any more. That is no reason to end, and shells with it. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

function json(time: Date, level: Level, event: string, details: Details): string {
  return printableJson({ time: time.toISOString(), level, event, ...details });
}

function pretty(time: Date, level: Level, event: string, details: Details): string {
  const values = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  const mark = level === 'info' ? '' : `${level.toUpperCase()} `;
  const line = [time.toTimeString().slice(0, 8), `${mark}${event}`, ...values].join(' ');
  return printable(line, SENTENCE_MAX_CHARS);
}
