/** The messages between the main thread and a worker thread: structured clones, delivered in order. */
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { SessionProgress } from '../../protocol/messages/session-info.ts';
import type { Notice } from './sequences/notices.ts';
import type { Scope } from './serializer/ansi.ts';
import type { CursorCell, Format } from './serializer/terminal-text.ts';
import type { Scheme } from './xterm/palette.ts';

/** Output or a resize, in the order they came. */
export type QueuedPiece =
  | { readonly kind: 'output'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly offset: number; readonly size: Size };

/** The state of a sleeping terminal: two snapshots, deflated, and what they do not contain. */
export interface Sleeping {
  readonly offset: number;
  readonly size: Size;
  readonly title: string;
  readonly cwd: string | null;
  /** The colour scheme that the program was told; null if it does not want to be told when it changes. */
  readonly toldScheme: Scheme | null;
  readonly all: Deflated;
  readonly recent: Deflated;
  /** How much of both may be images, before they are deflated. */
  readonly imageChars: number;
}

export interface Deflated {
  readonly deflated: Uint8Array;
  /** The lengths of its pieces. */
  readonly pieceBytes: readonly number[];
  /** Its inflated length. */
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
  readonly widths?: string | undefined;
  readonly marksNonce?: string | null | undefined;
  /** Offset of the first byte of output that will follow. */
  readonly offset: number;
  /** The initial state instead of a blank terminal: a snapshot, or raw output from before `offset`. */
  readonly from?: Pick<Deflated, 'deflated' | 'pieceBytes'> | { readonly output: Uint8Array };
  readonly cwd: string | null;
}

export interface SnapshotMessage {
  readonly type: 'snapshot';
  readonly screen: number;
  readonly request: number;
  readonly format: Format;
  readonly scope: Scope;
  /** Answered once output up to this offset was parsed; later output may be included too. */
  readonly atLeast: number;
  /** Without what is parsed while it is written. */
  readonly alone?: boolean;
}

export type ToThread =
  | OpenMessage
  | SnapshotMessage
  | { readonly type: 'output'; readonly screen: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly screen: number; readonly size: Size }
  | { readonly type: 'theme'; readonly screen: number; readonly theme: Theme }
  /** Nothing follows until `slept` or `stayed` has come back. */
  | { readonly type: 'sleep'; readonly screen: number; readonly maxImageChars: number }
  | { readonly type: 'close'; readonly screen: number };

/** Something the program did in the output at or after `at`; notices: and before `to`. */
export type ScreenEvent =
  | { readonly kind: 'answer'; readonly at: number; readonly text: string }
  /** Like an answer, but the program did not ask just now: it set a mode. */
  | { readonly kind: 'report'; readonly at: number; readonly text: string }
  | { readonly kind: 'title'; readonly at: number; readonly text: string }
  | { readonly kind: 'cwd'; readonly at: number; readonly text: string }
  | { readonly kind: 'progress'; readonly at: number; readonly progress: SessionProgress | null }
  | { readonly kind: 'bell'; readonly at: number; readonly to: number }
  | ({ readonly kind: 'notice'; readonly at: number; readonly to: number } & Notice);

/** A terminal's progress: its state includes the output below `offset` and the first `resizes` resizes. */
export interface Progress {
  readonly offset: number;
  readonly resizes: number;
  /** Bytes from `offset` on that the terminal has but that are an incomplete character. */
  readonly held: number;
}

export interface ParsedMessage extends Progress {
  readonly type: 'parsed';
  readonly screen: number;
  readonly events: readonly ScreenEvent[];
  /** A program has its own screen, without history: it draws all of it. */
  readonly isAlternate: boolean;
  /** How long this slice took. */
  readonly tookMs: number;
}

export interface SnapshotReply extends Progress {
  readonly type: 'snapshot';
  readonly screen: number;
  readonly request: number;
  /** The offset of the snapshot; the terminal has continued since. */
  readonly takenAt: number;
  /** What was parsed since then, up to `offset`; null for formats that are not completed. */
  readonly since: readonly QueuedPiece[] | null;
  /** Null if not even the screen fits. */
  readonly written: Deflated | null;
  readonly cursor: CursorCell;
  readonly size: Size;
  readonly title: string;
  readonly cwd: string | null;
}

export type FromThread =
  | ParsedMessage
  | SnapshotReply
  | ({ readonly type: 'slept'; readonly screen: number; readonly state: Sleeping } & Progress)
  /** Still awake: its state is too long to store. */
  | ({ readonly type: 'stayed'; readonly screen: number } & Progress);
