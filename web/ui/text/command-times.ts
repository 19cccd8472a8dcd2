/** When a command ran, as short text. */
import { durationText } from './amounts.ts';
import { since } from './since.ts';

export interface CommandTime {
  /** ISO 8601. */
  readonly startedAt: string;
  /** Null while it runs, or if its end is unknown. */
  readonly durationMs: number | null;
}

/** The commands of a session by their numbers. */
export type CommandTimes = (session: string) => Promise<ReadonlyMap<number, CommandTime>>;

/** For example `took 3.2 s, at 14:02`. */
export function commandTimeText({ startedAt, durationMs }: CommandTime, now: Date): string {
  const at = `at ${since(startedAt, now)}`;
  return durationMs === null ? `started ${at}` : `took ${shortDuration(durationMs)}, ${at}`;
}

/** With a tenth of a second where that matters. */
function shortDuration(ms: number): string {
  return ms >= 1000 && ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : durationText(ms);
}
