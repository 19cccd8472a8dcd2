/** What a person is told after a terminal has come back, or has come back as another. */

import { endReasonText } from '../../../client/end-reason.ts';
import type { Resume } from '../../../client/resume-record.ts';
import type { EndReason } from '../../../protocol/messages.ts';
import { bytesText, durationText } from '../text/amounts.ts';
import type { Note } from './flow-state.ts';

interface NoteContext {
  /** What the terminal is called. */
  readonly name: string;
  /** How long the agent keeps a session without clients; absent: for good. */
  readonly graceMs: number | undefined;
}

export function noteText(note: Note, { graceMs, name }: NoteContext): string {
  if (note.kind === 'resumed')
    return note.resume.isNewProgram ? newShellSentence(name) : resumeSentence(note.resume);
  if (note.endedBy === null) return newShellSentence(name);
  // Short, and the reason in it: the line is cut off where the window ends.
  return `The old shell was ended: ${reasonText(note.endedBy, graceMs)}.`;
}

/** Never "nothing missed": whatever ran in it is gone. */
function newShellSentence(name: string): string {
  return `“${name}” is a new shell; the old one and its programs have ended.`;
}

function reasonText(endedBy: EndReason, graceMs: number | undefined): string {
  return endReasonText(endedBy, graceMs === undefined ? undefined : durationText(graceMs));
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
