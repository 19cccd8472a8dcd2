/**
 * Tells clients what runs in a session as it changes: its title, and the program in the foreground. Looked at a while
 * after output and told when it is different, so that a title that spins costs a message a second and a quiet session
 * none. Rule AG13.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** As often as a label can be read. */
export const DESCRIBE_EVERY_MS = 1_000;

export interface Described {
  readonly title: string | null;
  readonly foreground: string | null;
}

interface DescriptionOptions {
  readonly clock: Clock;
  readonly look: () => Described;
  readonly tell: (channel: number, described: Described) => void;
}

export class Description {
  readonly #options: DescriptionOptions;
  /** Those who want to know, and what each was told last. */
  readonly #told = new Map<number, Described | null>();
  #later: Cancel | null = null;

  constructor(options: DescriptionOptions) {
    this.#options = options;
  }

  /** A client wants to know from now on; `known` is what it has just been told. One that followed already goes on. */
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

  /** Something was printed: another program may run by now. Called for every read of the terminal. */
  printed(): void {
    if (this.#told.size > 0) this.titled();
  }

  /** There is a new title. Looked at also when nobody wants to know: whose title it is can only be seen now. */
  titled(): void {
    this.#later ??= this.#options.clock.after(DESCRIBE_EVERY_MS, () => this.#look());
  }

  stop(): void {
    this.#later?.();
    this.#later = null;
  }

  #look(): void {
    this.#later = null;
    const now = this.#options.look();
    for (const [channel, before] of this.#told) {
      if (before !== null && before.title === now.title && before.foreground === now.foreground) continue;
      this.#told.set(channel, now);
      this.#options.tell(channel, now);
    }
  }
}
