/**
 * Decides which client's window sets the terminal's size and the colours that programs are told. Rules OU11, OU18.
 *
 * The driver is the client that typed last or took over on purpose. A client that attaches to a session nobody else
 * watches also drives. All other clients show the same grid; a window that only watches never shrinks the terminal.
 * While the driver is away, the only visible window drives; with none or several, the size stays until somebody types.
 * A client that typed last and comes back before anybody else typed drives again, so a short loss of its connection
 * changes nothing.
 */
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';

/** A client's window: how many cells fit, and its colours if it has sent them. */
export interface ClientSize extends Size {
  readonly theme?: Theme | undefined;
}

interface Joining {
  readonly channel: number;
  /** The page load or client process behind the channel. */
  readonly instance: string;
  /** Whether no other window is visible. */
  readonly isAlone: boolean;
  /** Whether this window is visible. */
  readonly isVisible: boolean;
}

export class Driver {
  readonly #wanted = new Map<number, ClientSize>();
  readonly #instances = new Map<number, string>();
  #channel: number | null = null;
  /** The instance that typed or took over last. */
  #lastActor: string | undefined;
  /** A client without a terminal chose the size; it stays until another client types. */
  #isChosen = false;

  /** The driver's channel; null if the driver has left. */
  get channel(): number | null {
    return this.#channel;
  }

  /** Whether a client has a window: one that only types or listens decides nothing. */
  hasWindow(channel: number): boolean {
    return this.#wanted.has(channel);
  }

  /** An operator attaches with a window; returns the window that decides now, if that changed. */
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

  /** A client left or was hidden; the channels in `visible` remain visible. */
  remain(visible: readonly number[]): ClientSize | null {
    if (this.#isChosen || (this.#channel !== null && visible.includes(this.#channel))) return null;
    const [only, ...others] = visible.filter((channel) => this.hasWindow(channel));
    return only === undefined || others.length > 0 ? null : this.#drives(only);
  }

  /** A client's window was resized. */
  resized(channel: number, { cols, rows, theme }: ClientSize): ClientSize | null {
    const window = { cols, rows, theme: theme ?? this.#wanted.get(channel)?.theme };
    this.#wanted.set(channel, window);
    return this.#channel === channel ? window : null;
  }

  /** The client typed or asked to drive. A client without a window changes nothing. */
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
