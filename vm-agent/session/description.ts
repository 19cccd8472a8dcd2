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
  /** Absent unless an assistant has the keyboard, or waits for it. */
  readonly keyboard?: KeyboardHolder;
  /** Absent while the session wants none. */
  readonly attention?: Attention;
}

interface DescriptionOptions {
  readonly clock: Clock;
  readonly look: () => Described;
  readonly tell: (channel: number, described: Described) => void;
}

interface Follower {
  /** All of it, or only changes of the attention. */
  readonly wants: true | 'attention';
  /** What it was told last; null if nothing. */
  readonly told: Described | null;
}

export class Description {
  readonly #options: DescriptionOptions;
  /** The clients that want to know. */
  readonly #followers = new Map<number, Follower>();
  #later: Cancel | null = null;

  constructor(options: DescriptionOptions) {
    this.#options = options;
  }

  /** Tells a client from now on; `known` is what it was just told. Does not reset a client that already follows. */
  follow(channel: number, wants: Follower['wants'], known?: Described): void {
    const before = this.#followers.get(channel);
    const told = known ?? before?.told ?? null;
    this.#followers.set(channel, { wants, told });
    // A client that wanted less before does not know the rest.
    if (told === null || (wants === true && known === undefined && before?.wants !== true)) this.changed();
  }

  leave(channel: number): void {
    this.#followers.delete(channel);
  }

  /** Something was printed, so another program may run now. Called for every read of the terminal. */
  printed(): void {
    if (this.#later !== null) return;
    for (const { wants } of this.#followers.values()) if (wants === true) return this.changed();
  }

  /**
   * The title, the progress or the attention changed. Checked even if no client wants to know: only now can the
   * program that set a title be identified.
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
    for (const [channel, { wants, told }] of this.#followers) {
      const isKnown = wants === true ? told !== null && isSame(told, now) : isSameAttention(told, now);
      if (isKnown) continue;
      this.#followers.set(channel, { wants, told: now });
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
    one.keyboard?.kind === other.keyboard?.kind &&
    one.keyboard?.name === other.keyboard?.name &&
    isSameAttention(one, other)
  );
}

function isSameAttention(one: Described | null, other: Described): boolean {
  const [a, b] = [one?.attention, other.attention];
  return a?.state === b?.state && a?.at === b?.at && a?.text === b?.text;
}
