/**
 * Whose window decides the terminal's size, and the colours that programs are told. Rules OU11, OU18.
 *
 * The one who typed last, or who took over on purpose. Whoever attaches to a session that nobody else watches
 * drives too. Everybody else shows the same grid as it is; a window that is only looked at shrinks nobody's.
 * When the driver leaves, the size stays until another types.
 */
import type { Size } from '../protocol/frame.ts';
import type { Theme } from '../protocol/messages.ts';

/** Of a client: how much fits into it, and its colours as far as it has told them. */
export interface Window extends Size {
  readonly theme?: Theme | undefined;
}

export class Driver {
  readonly #wanted = new Map<number, Window>();
  #channel: number | null = null;

  /** The channel whose window decides; null when it has left. */
  get channel(): number | null {
    return this.#channel;
  }

  /** Whether a client has a window at all: one that only types or listens decides nothing. */
  hasWindow(channel: number): boolean {
    return this.#wanted.has(channel);
  }

  /** A client attaches with a window; returns the one that now decides, if that has changed. */
  joined(channel: number, window: Window, mayDrive: boolean, isAlone: boolean): Window | null {
    this.#wanted.set(channel, window);
    if (mayDrive && (isAlone || this.#channel === channel)) return this.takesOver(channel);
    return null;
  }

  left(channel: number): void {
    this.#wanted.delete(channel);
    if (this.#channel === channel) this.#channel = null;
  }

  /** A client's window has changed. */
  resized(channel: number, { cols, rows, theme }: Window): Window | null {
    const window = { cols, rows, theme: theme ?? this.#wanted.get(channel)?.theme };
    this.#wanted.set(channel, window);
    return this.#channel === channel ? window : null;
  }

  /** It typed, or asked for it. Who has no window changes nothing. */
  takesOver(channel: number): Window | null {
    const window = this.#wanted.get(channel);
    if (window === undefined) return null;
    this.#channel = channel;
    return window;
  }
}
