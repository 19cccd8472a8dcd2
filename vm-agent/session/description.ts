/**
 * Tells clients when a session's title, foreground program, progress or attention changes. It checks a moment after output and sends only
 * changes, so an animated title costs one message per second and a quiet session costs none. Rule AG13.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Attention } from '../../protocol/messages/attention.ts';
import type { KeyboardHolder } from '../../protocol/messages/keyboard-holder.ts';
import type { SessionProgress } from '../../protocol/messages/session-info.ts';

/** As often as a person can read a label. */
export const DESCRIBE_EVERY_MS = 1_000;

export interface Described {
  readonly title: string | null;
  readonly foreground: string | null;
  /** Absent when no program reports one. */
  readonly progress?: SessionProgress;
  /** Absent while the session wants none. */
  readonly attention?: Attention;
  /** Absent unless an assistant has the keyboard, or waits for it. */
  readonly keyboard?: KeyboardHolder;
}

interface DescriptionOptions {
  readonly clock: Clock;
  readonly look: () => Described;
  readonly tell: (channel: number, described: Described) => void;
}

export class Description {
  readonly #options: DescriptionOptions;
  /** The clients that want to know, and what each was told last. */
  readonly #told = new Map<number, Described | null>();
  #later: Cancel | null = null;

  constructor(options: DescriptionOptions) {
    this.#options = options;
  }

  /** Tells a client from now on; `known` is what it was just told. Does not reset a client that already follows. */
  follow(channel: number, known?: Described): void {
    if (known !== undefined) this.#told.set(channel, known);
    else if (!this.#told.has(channel)) {
      this.#told.set(channel, null);
      this.printed();
    }
  }

  leave(channel: number): void {
    this.#told.delete(channel);
  }

  /** Something was printed, so another program may run now. Called for every read of the terminal. */
  printed(): void {
    if (this.#told.size > 0) this.changed();
  }

  /**
   * The title, the progress or the attention changed. Checked even if no client wants to know: only now can the program that set it be
   * identified.
   */
  changed(): void {
    this.#later ??= this.#options.clock.after(DESCRIBE_EVERY_MS, () => this.#look());
  }

  /** Somebody else has the keyboard: people should see that at once. */
  changedNow(): void {
    this.stop();
    this.#look();
  }

  stop(): void {
    this.#later?.();
    this.#later = null;
  }

  #look(): void {
    this.#later = null;
    const now = this.#options.look();
    for (const [channel, before] of this.#told) {
      if (before !== null && isSame(before, now)) continue;
      this.#told.set(channel, now);
      this.#options.tell(channel, now);
    }
  }
}

function isSame(one: Described, other: Described): boolean {
  return (
    one.title === other.title &&
    one.foreground === other.foreground &&
    one.progress?.state === other.progress?.state &&
    one.progress?.percent === other.progress?.percent &&
    one.keyboard?.since === other.keyboard?.since &&
    one.attention?.state === other.attention?.state &&
    one.attention?.at === other.attention?.at &&
    one.attention?.text === other.attention?.text
  );
}
