/** The states of a terminal flow, as drawn in terminal-flow.ts, and the notes it reports to the user. */

import type { AttachedSession } from '../../../client/attached-session.ts';
import type { Resume } from '../../../client/resume-record.ts';
import type { SessionState } from '../../../client/session-state.ts';
import type { Refusal } from '../../../protocol/errors.ts';
import type { EndReason, SessionInfo } from '../../../protocol/messages/session-info.ts';
import type { Plan } from './match-tabs.ts';

export type FlowState =
  | { readonly name: 'waiting'; readonly plan: Plan | null }
  | { readonly name: 'creating' }
  | {
      readonly name: 'attached';
      readonly info: SessionInfo;
      readonly session: AttachedSession;
      /**
       * The session's state at the last check. It tells a session that was closed while attached from one that was
       * never found.
       */
      readonly seen: SessionState['name'];
      readonly stopListening: () => void;
    }
  | { readonly name: 'ended'; readonly info: SessionInfo; readonly sentence: string }
  | { readonly name: 'failed'; readonly sentence: string; readonly replaces: string }
  /** `isAbandoned`: the tab was closed, so a session that is still being created is not wanted. */
  | { readonly name: 'stopped'; readonly isAbandoned: boolean };

export type Attached = Extract<FlowState, { name: 'attached' }>;

export type Creation = Extract<Plan, { kind: 'create' }>;

/** The plan for a new shell in place of a session; why that session ended is not known here. */
export function replacing(session: string): Creation {
  return { kind: 'create', replaces: session };
}

/** What follows when an attached session can no longer be attached. */
export function afterLoss({ info, seen }: Attached, why: Pick<Refusal, 'code' | 'message'>): FlowState {
  if (why.code === 'agent_offline') return { name: 'waiting', plan: { kind: 'reattach', info } };
  if (why.code !== 'session_missing') return { name: 'failed', sentence: why.message, replaces: info.id };
  if (seen !== 'live') return { name: 'waiting', plan: replacing(info.id) };
  return { name: 'ended', info, sentence: 'This terminal was closed elsewhere.' };
}

/** Something the user should know. `undelivered` is readable text that was typed and reached no program. */
export type Note =
  /** The session was resumed after a break. */
  | { readonly kind: 'resumed'; readonly resume: Resume; readonly undelivered: string }
  /** A new shell has replaced one that is gone. `endedBy` is the rule that ended the old one, null when none did. */
  | { readonly kind: 'replaced'; readonly endedBy: EndReason | null; readonly undelivered: string }
  /** The user has reopened a closed tab whose shell has ended: this is a new one, in this directory if it was known. */
  | { readonly kind: 'reopened'; readonly cwd: string | undefined };

/**
 * Whether the note reports a loss. Such a note must stay until dismissed; a notice that disappears by itself is not
 * enough.
 */
export function isAboutLoss(note: Note): note is Exclude<Note, { kind: 'reopened' }> {
  if (note.kind === 'reopened') return false;
  return note.kind === 'replaced' || note.resume.isNewProgram || note.undelivered !== '';
}
