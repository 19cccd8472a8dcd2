/** The control messages between the keeper and the agent process. Both add fields only; unknown messages are ignored. */
import type { Size } from '../../protocol/frame.ts';
import type { Exit, SpawnSpec } from '../pty/pty.ts';
import type { LedgerEntry } from '../terminal/input-ledger.ts';

export type ToKeeper =
  /** The first message: it can take over. The keeper says `hello`. An agent of the first build tells no version. */
  | { readonly type: 'booted'; readonly version?: number }
  /** Starts a program. The same id again answers as before. */
  | {
      readonly type: 'spawn';
      readonly handle: number;
      readonly id: string;
      readonly spec: SpawnSpec;
      /** How much output is kept at least. */
      readonly historyBytes: number;
    }
  | { readonly type: 'resize'; readonly handle: number; readonly size: Size }
  /** An instance promises to type nothing but what has this digest. */
  | { readonly type: 'promise'; readonly handle: number; readonly instance: string; readonly once: string }
  /** The next agent can do without output before this offset. */
  | { readonly type: 'retain'; readonly handle: number; readonly offset: number }
  | { readonly type: 'read_at_most'; readonly handle: number; readonly bytes: number }
  /** The session was removed. Its program has ended, or is ended now. */
  | { readonly type: 'forget'; readonly handle: number }
  /** Everything kept was read: the agent does its work now. */
  | { readonly type: 'ready' }
  /** Ends everything, programs included, with this exit code. */
  | { readonly type: 'finished'; readonly code: number }
  | { readonly type: 'pong' };

/** What an agent is told of a program that runs already. */
export interface ProgramState {
  readonly handle: number;
  readonly id: string;
  readonly pid: number;
  readonly bornAt: string | undefined;
  readonly spec: SpawnSpec;
  /** The first offset that follows as output. */
  readonly start: number;
  readonly end: number;
  /** Input that the program has not taken yet. */
  readonly backlogBytes: number;
  readonly ledger: readonly LedgerEntry[];
}

export type ToAgent =
  /** The first message. */
  | {
      readonly type: 'hello';
      readonly version: number;
      readonly epoch: string;
      readonly pid: number;
      /** How many `session` messages follow. */
      readonly sessions: number;
      /** Why agents before this one ended early; null if none did. */
      readonly trouble: string | null;
      /** What the keeper can do, see versions.ts. Those of the first build do not tell. */
      readonly capabilities?: readonly string[];
    }
  /** Its blobs follow, then its output. */
  | ({ readonly type: 'session'; readonly blobs: number } & ProgramState)
  | {
      readonly type: 'spawned';
      readonly handle: number;
      readonly pid: number;
      readonly bornAt: string | undefined;
    }
  | { readonly type: 'refused'; readonly handle: number; readonly code: string; readonly message: string }
  | {
      readonly type: 'resized';
      readonly handle: number;
      readonly offset: number;
      readonly size: Size;
    }
  | { readonly type: 'exited'; readonly handle: number; readonly exit: Exit }
  /** End every session in an orderly way, then send `finished`. */
  | { readonly type: 'stop' }
  /** Another agent takes over: leave, without ending any session. */
  | { readonly type: 'leave' }
  | { readonly type: 'ping' };
