/** The states of a session, for a client that shows it. */
import type { ErrorCode } from '../protocol/errors.ts';

export type SessionState =
  | { readonly name: 'attaching' }
  | { readonly name: 'live' }
  | { readonly name: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  /** The session cannot be attached: it no longer exists, or may not be watched. */
  | { readonly name: 'gone'; readonly code: ErrorCode; readonly why: string };

/** What happened in a session since somebody last looked at it. */
export type Unseen = 'nothing' | 'output' | 'bell';

/**
 * How the client is joined to a session on the current connection.
 *
 *   detached ──── ask ────► asking ──── answer ────► attached
 *      │                    ▲   ▲                     │   │
 *      │   the screen has   │   └───── ask again ─────┘   │ ask again
 *      │ ask   room again   │                             │
 *      └──────────────► postponed ◄───────────────────────┘
 *
 * Asking is postponed while the screen is behind. A lost connection leads from every state to `detached`. Asking again
 * ends no attachment: its handle counts until the answer brings the next one.
 */
export type AttachmentState =
  | { readonly name: 'detached' }
  | { readonly name: 'postponed'; readonly handle: number | undefined }
  /** An attach request was sent, and not answered yet. */
  | { readonly name: 'asking'; readonly request: string; readonly handle: number | undefined }
  | { readonly name: 'attached'; readonly handle: number };

/** The session's number in data frames, while attached. */
export function handleOf(attachment: AttachmentState): number | undefined {
  return attachment.name === 'detached' ? undefined : attachment.handle;
}

/** Whether an answer is still to come, so that what arrives now belongs to an earlier request. */
export function isAwaited({ name }: AttachmentState): boolean {
  return name === 'asking' || name === 'postponed';
}
