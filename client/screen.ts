/** Where a session's output goes: a terminal, or whatever stands for one. */
import type { Size } from '../protocol/frame.ts';

export interface Screen {
  /** Shows bytes; `shown` runs when they have been parsed, in order. */
  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void;
  /** Forgets everything: another beginning follows. With kind `snapshot`, the next `write` is the screen itself. */
  reset(beginning?: Beginning): void;
  resize(size: Size): void;
  /** Resolves once a person can see what was written before; what is not looked at has no such moment. */
  painted?(): Promise<void>;
}

/** Where a screen starts anew, and how much output before it nobody will show. */
export interface Beginning {
  readonly kind: 'delta' | 'snapshot';
  readonly offset: number;
  readonly lost: number;
}
