/** What the main side and a thread say to each other. Structured clones, in order, each declared once. */
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages.ts';
import type { Scope } from './serializer/ansi.ts';
import type { Format } from './serializer/terminal-text.ts';

/** Output, or a change of size, in the order in which they came. */
export type QueuedPiece =
  | { readonly kind: 'output'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly offset: number; readonly size: Size };

/** A terminal put down: snapshots of it, deflated, and what they do not carry. */
export interface Sleeping {
  readonly offset: number;
  readonly size: Size;
  readonly title: string;
  readonly cwd: string | null;
  readonly all: Deflated;
  readonly recent: Deflated;
}

export interface Deflated {
  readonly deflated: Uint8Array;
  /** How long the pieces are that it consists of. */
  readonly pieceBytes: readonly number[];
  /** Length when inflated. */
  readonly bytes: number;
  /** Lines of history that are not in it. */
  readonly linesAbove: number;
}

export interface OpenMessage {
  readonly type: 'open';
  readonly screen: number;
  readonly size: Size;
  readonly scrollbackLines: number;
  readonly theme: Theme;
  /** Offset of the first byte of output that will come. */
  readonly offset: number;
  /** What to begin with instead of a blank terminal: a snapshot, or raw output from before `offset`. */
  readonly from?: Pick<Deflated, 'deflated' | 'pieceBytes'> | { readonly output: Uint8Array };
  readonly cwd: string | null;
}

export interface SnapshotMessage {
  readonly type: 'snapshot';
  readonly screen: number;
  readonly request: number;
  readonly format: Format;
  readonly scope: Scope;
  /** Answered once this much has been parsed; earlier output is part of the state, later may not be. */
  readonly atLeast: number;
}

export type ToThread =
  | OpenMessage
  | SnapshotMessage
  | { readonly type: 'output'; readonly screen: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly screen: number; readonly size: Size }
  | { readonly type: 'theme'; readonly screen: number; readonly theme: Theme }
  /** Nothing follows until `slept` or `stayed` has come back. */
  | { readonly type: 'sleep'; readonly screen: number }
  | { readonly type: 'close'; readonly screen: number };

/** Something the program did while the output at offset `at` was parsed. */
export type ScreenEvent =
  | { readonly kind: 'answer'; readonly at: number; readonly text: string }
  | { readonly kind: 'title'; readonly at: number; readonly text: string }
  | { readonly kind: 'cwd'; readonly at: number; readonly text: string }
  | { readonly kind: 'bell'; readonly at: number };

/** How far a terminal is: output below `offset` and the first `resizes` changes of size are part of its state. */
export interface Progress {
  readonly offset: number;
  readonly resizes: number;
  /** Bytes from `offset` on that the terminal has but that are only half a character. */
  readonly held: number;
}

export interface SnapshotReply extends Progress {
  readonly type: 'snapshot';
  readonly screen: number;
  readonly request: number;
  /** Offset at which it was taken; the terminal has gone on since. */
  readonly takenAt: number;
  /** What has been parsed since then, up to `offset`; null for a format that is not completed. */
  readonly since: readonly QueuedPiece[] | null;
  /** Null when not even the screen fits. */
  readonly written: Deflated | null;
  readonly size: Size;
  readonly title: string;
  readonly cwd: string | null;
}

export type FromThread =
  | ({ readonly type: 'parsed'; readonly screen: number; readonly events: readonly ScreenEvent[] } & Progress)
  | SnapshotReply
  | ({ readonly type: 'slept'; readonly screen: number; readonly state: Sleeping } & Progress)
  /** It is still there: its state is too long to be put down. */
  | ({ readonly type: 'stayed'; readonly screen: number } & Progress);
