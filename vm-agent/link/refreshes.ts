/**
 * Refreshes session descriptions in the relay's registry when clients ask. Each refresh reads the process table and
 * sends messages to the relay, so it runs at most once per interval and answers everybody who has asked by then. Rule
 * AG9.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { REFRESH_EVERY_MS, REFRESHES_WAITING_MAX } from '../../protocol/limits.ts';

interface Asker {
  readonly channel: number;
  readonly request: string;
}

interface RefreshOptions {
  readonly clock: Clock;
  /** Sends the description of one session, or of all. */
  readonly tell: (session: string | undefined) => void;
  readonly answer: (asker: Asker) => void;
}

export class Refreshes {
  readonly #options: RefreshOptions;
  #askers: Asker[] = [];
  /** The sessions to describe; undefined means all. */
  readonly #wanted = new Set<string | undefined>();
  #nextAt = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  constructor(options: RefreshOptions) {
    this.#options = options;
  }

  /** Throws `slow_down` if the client already waits for several answers. */
  ask(session: string | undefined, asker: Asker): void {
    const waiting = this.#askers.filter(({ channel }) => channel === asker.channel).length;
    if (waiting >= REFRESHES_WAITING_MAX) {
      throw new Refusal(
        'slow_down',
        'This client is already waiting for session details. Try again when they have arrived.',
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

  /** The link is new: clients of the previous one ask again. */
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
