/** What a tab is doing, as terminal-flow.ts draws it; and what it has to tell. */

import type { AttachedSession } from '../../../client/attached-session.ts';
import type { Resume } from '../../../client/resume-record.ts';
import type { SessionState } from '../../../client/session-state.ts';
import type { EndReason, SessionInfo } from '../../../protocol/messages.ts';
import type { Plan } from './match-tabs.ts';

export type FlowState =
  | { readonly name: 'waiting'; readonly plan: Plan | null }
  | { readonly name: 'creating' }
  | {
      readonly name: 'attached';
      readonly info: SessionInfo;
      readonly session: AttachedSession;
      /** What the session was when we last looked: it tells "closed before our eyes" from "not there". */
      readonly seen: SessionState['name'];
    }
  | { readonly name: 'ended'; readonly info: SessionInfo; readonly sentence: string }
  | { readonly name: 'failed'; readonly sentence: string; readonly replaces: string }
  | { readonly name: 'stopped' };

export type Attached = Extract<FlowState, { name: 'attached' }>;

/** Something a person should know. `undelivered` was typed and reached no program, as a person reads it. */
export type Note =
  /** The terminal has come back. */
  | { readonly kind: 'resumed'; readonly resume: Resume; readonly undelivered: string }
  /** It is a new shell in the place of one that is gone; `endedBy` is the rule that ended that, null when none did. */
  | { readonly kind: 'replaced'; readonly endedBy: EndReason | null; readonly undelivered: string };

/** Whether it is about something lost, so that a line that goes by itself does not do. */
export function isAboutLoss(note: Note): boolean {
  return note.kind === 'replaced' || note.resume.isNewProgram || note.undelivered !== '';
}
