/** What a person is told after a terminal has come back, or has come back as another. */
import type { Resume } from '../client/resume-record.ts';
import { bytesText, durationText } from './amounts.ts';
import type { Note } from './flow-state.ts';

export function noteText(note: Note, name: string): string {
  if (note.kind === 'replaced') return `“${name}” is a fresh shell; the one before it is gone.`;
  return resumeSentence(note.resume);
}

function resumeSentence({ missedBytes, lostBytes, awayMs, tookMs }: Resume): string {
  const caughtUp =
    missedBytes === 0 ? 'nothing missed' : `${bytesText(missedBytes)} caught up in ${durationText(tookMs)}`;
  // To the byte: who has lost something wants to know how much, not about how much.
  const lost =
    lostBytes === 0
      ? ''
      : ` ${lostBytes.toLocaleString('en')} bytes of output are gone; the screen is up to date.`;
  return `Back${awayMs === null ? '' : ` after ${durationText(awayMs)}`}: ${caughtUp}.${lost}`;
}
