/** The text that tells the user how a terminal came back: resumed, or replaced by a new shell. */

import { endReasonText } from '../../../client/end-reason.ts';
import type { Resume } from '../../../client/resume-record.ts';
import type { EndReason } from '../../../protocol/messages/session-info.ts';
import { bytesText, durationText } from '../text/amounts.ts';
import type { Note } from './flow-state.ts';

interface NoteContext {
  /** The name of the tab. */
  readonly name: string;
  /** How long the agent keeps a session without clients; absent: for ever. */
  readonly graceMs: number | undefined;
}

export function noteText(note: Note, { graceMs, name }: NoteContext): string {
  if (note.kind === 'resumed')
    return note.resume.isNewProgram ? newShellSentence(name) : resumeSentence(note.resume);
  if (note.kind === 'reopened')
    return `“${name}” is a new shell${note.cwd === undefined ? '' : ` in ${note.cwd}`}. The closed one has ended.`;
  if (note.endedBy === null) return newShellSentence(name);
  // Short, with the reason early: the line is cut off at the edge of the window.
  return `The old shell was ended: ${reasonText(note.endedBy, graceMs)}.`;
}

/** Never says "nothing missed": the programs of the old shell have ended. */
function newShellSentence(name: string): string {
  return `“${name}” is a new shell; the old one and its programs have ended.`;
}

function reasonText(endedBy: EndReason, graceMs: number | undefined): string {
  return endReasonText(endedBy, graceMs === undefined ? undefined : durationText(graceMs));
}

function resumeSentence({ missedBytes, lostBytes, awayMs, tookMs }: Resume): string {
  const caughtUp =
    missedBytes === 0 ? 'nothing missed' : `${bytesText(missedBytes)} caught up in ${durationText(tookMs)}`;
  // Exact to the byte: a user who lost output wants to know how much, not roughly how much.
  const lost =
    lostBytes === 0
      ? ''
      : ` ${lostBytes.toLocaleString('en')} bytes of output are gone; the screen is up to date.`;
  return `Back${awayMs === null ? '' : ` after ${durationText(awayMs)}`}: ${caughtUp}.${lost}`;
}
