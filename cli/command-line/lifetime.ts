/** Reads how long a credential is to be valid: `90s`, `15m`, `12h`, `30d`. */
import { UsageError } from './usage-error.ts';

const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** In seconds. */
export function readLifetime(text: string | undefined): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text ?? '') ?? [];
  const seconds = Number(count) * (UNIT_S[unit] ?? Number.NaN);
  if (!(seconds > 0)) throw new UsageError('--expires needs a time like 90s, 15m, 12h or 30d');
  return seconds;
}
