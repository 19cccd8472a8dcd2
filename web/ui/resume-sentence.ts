/** What a person is told after a terminal has come back. */
import { bytesText, durationText } from './amounts.ts';

export interface Resume {
  readonly missedBytes: number;
  readonly lostBytes: number;
  readonly awayMs: number;
  readonly tookMs: number;
}

export function resumeSentence({ missedBytes, lostBytes, awayMs, tookMs }: Resume): string {
  const caughtUp =
    missedBytes === 0 ? 'nothing missed' : `${bytesText(missedBytes)} caught up in ${durationText(tookMs)}`;
  // To the byte: who has lost something wants to know how much, not about how much.
  const lost = lostBytes === 0 ? '' : ` ${lostBytes} bytes of output are gone; the screen is as it is now.`;
  return `Back after ${durationText(awayMs)}: ${caughtUp}.${lost}`;
}
