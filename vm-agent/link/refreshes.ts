/**
 * Refreshes of the registry's descriptions that clients ask for: at most one in a while, which answers everybody who has
 * asked by then. Each refresh reads the process table and is told to the relay, so nobody may have one as often as
 * they can ask. Rule AG9.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { REFRESH_EVERY_MS, REFRESHES_WAITING_MAX } from '../../protocol/limits.ts';

export interface Asker {
  readonly channel: number;
  readonly request: string;
}

interface RefreshOptions {
  readonly clock: Clock;
  /** Describes one session, or all of them. */
  readonly tell: (session: string | undefined) => void;
  readonly answer: (asker: Asker) => void;
}

export class Refreshes {
  readonly #options: RefreshOptions;
  #askers: Asker[] = [];
  /** What they want to have described: sessions, or all. */
  readonly #wanted = new Set<string | undefined>();
  #nextAt = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  constructor(options: RefreshOptions) {
    this.#options = options;
  }

  /** Throws `slow_down` for a client that waits for several answers already. */
  ask(session: string | undefined, asker: Asker): void {
    const waiting = this.#askers.filter(({ channel }) => channel === asker.channel).length;
    if (waiting >= REFRESHES_WAITING_MAX) {
      throw new Refusal(
        'slow_down',
        'This client waits for its descriptions already; ask again when they have come.',
      );
    }
    this.#askers.push(asker);
    this.#wanted.add(session);
    const { clock } = this.#options;
    if (this.#isWaiting) return;
    if (clock.now() >= this.#nextAt) return this.#refresh();
    this.#isWaiting = true;
    clock.after(this.#nextAt - clock.now(), () => {
      this.#isWaiting = false;
      this.#refresh();
    });
  }

  /** The link is another: whoever asked on the one before asks again. */
  forget(): void {
    this.#askers = [];
    this.#wanted.clear();
  }

  #refresh(): void {
    const { answer, clock, tell } = this.#options;
    this.#nextAt = clock.now() + REFRESH_EVERY_MS;
    const askers = this.#askers;
    const wanted = this.#wanted.has(undefined) ? [undefined] : [...this.#wanted];
    this.forget();
    for (const session of wanted) tell(session);
    for (const asker of askers) answer(asker);
  }
}
