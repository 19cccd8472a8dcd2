/**
 * Supervises one part of `npm start`, the relay or the agent. A part that ends by itself is restarted, with a message,
 * until it ends too often.
 *
 *             ends                 started
 *   running ───────► restarting ───────────► running
 *      │                 │ ends too often
 *      └────► stopped ◄──┘                              Final.
 */

import { StartError } from '../../node/start-error.ts';
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { ENDS_MAX, RestartPace, WITHIN_MS } from './restart-pace.ts';

export interface Part {
  /** Resolves when the part has ended, with the cause: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

interface Supervision<P extends Part> {
  /** For messages, such as "The relay". */
  readonly name: string;
  /** What its end means for the user, printed after "The relay has ended (SIGKILL) and is restarted." */
  readonly meaning: string;
  /** Throws a StartError if the part does not start. */
  readonly start: (previous: P | null) => Promise<P>;
  /** Whether everything is being stopped; the part is then not restarted. */
  readonly isEnding: () => boolean;
  /** Why the part must not be restarted, as a sentence; null when it may be. */
  readonly whyFinal?: () => string | null;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  /** The part ended too often and is not restarted again. */
  readonly gaveUp: () => void;
}

type State<P> =
  | { readonly name: 'running'; readonly part: P }
  | { readonly name: 'restarting'; readonly last: P; readonly cancel: Cancel }
  | { readonly name: 'stopped' };

export class SupervisedPart<P extends Part> {
  readonly #supervision: Supervision<P>;
  readonly #pace = new RestartPace();
  #state: State<P>;
  /** A start in progress. `stop` waits for it, so that no process is left behind. */
  #starting: Promise<void> = Promise.resolve();

  /** Rejects when the first start fails, because there is nothing to supervise then. */
  static async start<P extends Part>(supervision: Supervision<P>): Promise<SupervisedPart<P>> {
    return new SupervisedPart(supervision, await supervision.start(null));
  }

  private constructor(supervision: Supervision<P>, part: P) {
    this.#supervision = supervision;
    this.#state = { name: 'running', part };
    this.#watch(part);
  }

  /** The running part, or the last one while it restarts. Null once it has been stopped. */
  get part(): P | null {
    if (this.#state.name === 'running') return this.#state.part;
    return this.#state.name === 'restarting' ? this.#state.last : null;
  }

  /** Resolves when the part has ended and will not be restarted. */
  async stop(): Promise<void> {
    const state = this.#state;
    this.#state = { name: 'stopped' };
    if (state.name === 'restarting') state.cancel();
    if (state.name === 'running') await state.part.stop();
    await this.#starting;
  }

  #watch(part: P): void {
    void part.ended.then((how) => {
      if (this.#state.name === 'running' && this.#state.part === part)
        this.#ended(part, `has ended (${how})`);
    });
  }

  #ended(last: P, what: string): void {
    const { name, meaning, clock, say, isEnding, whyFinal } = this.#supervision;
    if (isEnding()) {
      this.#state = { name: 'stopped' };
      return;
    }
    const final = whyFinal?.() ?? null;
    if (final !== null) return this.#giveUp(final);
    const verdict = this.#pace.ended(clock.now());
    if (verdict.name === 'give_up')
      return this.#giveUp(
        `${name} ${what}, ${ENDS_MAX + 1} times within ${WITHIN_MS / 1000} s; it is not restarted again. Stopping.`,
      );
    say(`${name} ${what} and is restarted. ${meaning}`);
    const cancel = clock.after(verdict.afterMs, () => {
      this.#starting = this.#restart(last);
    });
    this.#state = { name: 'restarting', last, cancel };
  }

  #giveUp(why: string): void {
    this.#state = { name: 'stopped' };
    this.#supervision.say(why);
    this.#supervision.gaveUp();
  }

  async #restart(last: P): Promise<void> {
    try {
      const part = await this.#supervision.start(last);
      // Stopped in the meantime: nobody else knows of this part, so it is stopped here.
      if (this.#state.name === 'stopped') return await part.stop();
      this.#state = { name: 'running', part };
      this.#watch(part);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      if (this.#state.name !== 'stopped') this.#ended(last, `did not start (${error.message})`);
    }
  }
}
