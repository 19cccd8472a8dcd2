/**
 * Whose window decides the terminal's size, and the colours that programs are told. Rules OU11, OU18.
 *
 * The one who typed last, or who took over on purpose. Whoever attaches to a session that nobody else watches
 * drives too. Everybody else shows the same grid as it is; a window that is only looked at shrinks nobody's.
 * While the driver is away, the only window that is looked at drives; with none or several, the size stays until
 * another types. A client that typed last and comes back before anybody else has typed drives again, so that a
 * short cut of its connection leaves nothing behind.
 */
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages.ts';

/** Of a client: how much fits into it, and its colours as far as it has told them. */
export interface ClientSize extends Size {
  readonly theme?: Theme | undefined;
}

interface Joining {
  readonly channel: number;
  /** The page load or process behind the channel. */
  readonly instance: string;
  /** Whether no other window is looked at. */
  readonly isAlone: boolean;
  /** Whether somebody looks at this one. */
  readonly isVisible: boolean;
}

export class Driver {
  readonly #wanted = new Map<number, ClientSize>();
  readonly #instances = new Map<number, string>();
  #channel: number | null = null;
  /** The instance that typed or took over last. */
  #lastActor: string | undefined;
  /** The size was chosen by a client that shows no terminal; it stays until another types. */
  #isChosen = false;

  /** The channel whose window decides; null when it has left. */
  get channel(): number | null {
    return this.#channel;
  }

  /** Whether a client has a window at all: one that only types or listens decides nothing. */
  hasWindow(channel: number): boolean {
    return this.#wanted.has(channel);
  }

  /** An operator attaches with a window; returns the one that now decides, if that has changed. */
  joined({ channel, instance, isAlone, isVisible }: Joining, window: ClientSize): ClientSize | null {
    this.#wanted.set(channel, window);
    this.#instances.set(channel, instance);
    const isBack = isVisible && instance === this.#lastActor;
    return isAlone || isBack || this.#channel === channel ? this.#drives(channel) : null;
  }

  left(channel: number): void {
    this.#wanted.delete(channel);
    this.#instances.delete(channel);
    if (this.#channel === channel) this.#channel = null;
  }

  /** Somebody has left or looks away, and the channels of `visible` are looked at. */
  remain(visible: readonly number[]): ClientSize | null {
    if (this.#isChosen || (this.#channel !== null && visible.includes(this.#channel))) return null;
    const [only, ...others] = visible.filter((channel) => this.hasWindow(channel));
    return only === undefined || others.length > 0 ? null : this.#drives(only);
  }

  /** A client's window has changed. */
  resized(channel: number, { cols, rows, theme }: ClientSize): ClientSize | null {
    const window = { cols, rows, theme: theme ?? this.#wanted.get(channel)?.theme };
    this.#wanted.set(channel, window);
    return this.#channel === channel ? window : null;
  }

  /** It typed, or asked for it. Who has no window changes nothing. */
  takesOver(channel: number): ClientSize | null {
    const window = this.#drives(channel);
    if (window === null) return null;
    this.#lastActor = this.#instances.get(channel);
    this.#isChosen = this.#lastActor === undefined;
    return window;
  }

  #drives(channel: number): ClientSize | null {
    const window = this.#wanted.get(channel);
    if (window === undefined) return null;
    this.#channel = channel;
    this.#isChosen = false;
    return window;
  }
}
