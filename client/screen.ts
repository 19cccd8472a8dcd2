/** The destination of a session's output: a terminal, or a substitute for one. */
import type { Size } from '../protocol/frame.ts';

export interface Screen {
  /** Shows bytes; `shown` is called when they have been parsed, in order. */
  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void;
  /**
   * Clears everything, because output restarts elsewhere. With kind `snapshot`, the next `write` is the screen itself.
   */
  reset(beginning?: Beginning): void;
  resize(size: Size): void;
  /** Output between these offsets was printed before the session was attached. Absent where that makes no difference. */
  replayBegins?(from: number, to: number): void;
  /**
   * Which version of the width model measures text from now on. Absent for a screen that measures nothing.
   */
  measure?(widths: string): void;
  /**
   * What proves that a mark in the output (OSC 133) was made by the shell's own script; null if nothing does. Absent for
   * a screen that shows no marks.
   */
  expectMarks?(nonce: string | null): void;
  /** Resolves once a person can see what was written before. Absent for a screen that nobody looks at. */
  painted?(): Promise<void>;
}

/** Where a screen restarts, and how much output before it is lost. */
export interface Beginning {
  readonly kind: 'delta' | 'snapshot';
  readonly offset: number;
  readonly lost: number;
}
