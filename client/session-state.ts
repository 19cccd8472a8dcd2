/** The state of a session, for a client that shows it. */
import type { ErrorCode } from '../protocol/errors.ts';

export type SessionState =
  | { readonly name: 'attaching' }
  | { readonly name: 'live' }
  | { readonly name: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  /** The session cannot be attached: it no longer exists, or may not be watched. */
  | { readonly name: 'gone'; readonly code: ErrorCode; readonly why: string };

/** What happened in a session since somebody last looked at it. */
export type Unseen = 'nothing' | 'output' | 'bell';
