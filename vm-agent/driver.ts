/**
 * Whose window decides the terminal's size. Rule OU11.
 *
 * The one who typed last, or who took over on purpose. Whoever attaches to a session that nobody else watches
 * drives too. Everybody else shows the same grid as it is; a window that is only looked at shrinks nobody's.
 * When the driver leaves, the size stays until another types.
 */
import type { Size } from '../protocol/frame.ts';

export class Driver {
  readonly #wanted = new Map<number, Size>();
  #channel: number | null = null;

  /** The channel whose window decides; null when it has left. */
  get channel(): number | null {
    return this.#channel;
  }

  /** Whether a client has a window at all: one that only types or listens decides nothing. */
  hasWindow(channel: number): boolean {
    return this.#wanted.has(channel);
  }

  /** A client attaches with room for `size`; returns the size to take, if any. */
  joined(channel: number, size: Size, mayDrive: boolean, isAlone: boolean): Size | null {
    this.#wanted.set(channel, size);
    if (mayDrive && (isAlone || this.#channel === channel)) return this.takesOver(channel);
    return null;
  }

  left(channel: number): void {
    this.#wanted.delete(channel);
    if (this.#channel === channel) this.#channel = null;
  }

  /** A client's window has changed. */
  resized(channel: number, size: Size): Size | null {
    this.#wanted.set(channel, size);
    return this.#channel === channel ? size : null;
  }

  /** It typed, or asked for it. Who has no window changes nothing. */
  takesOver(channel: number): Size | null {
    const size = this.#wanted.get(channel);
    if (size === undefined) return null;
    this.#channel = channel;
    return size;
  }
}
