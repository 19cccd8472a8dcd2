/**
 * Keeps one part of `npm start` running, the relay or the agent: one that ends by itself is started again, with a line
 * that says so, until it ends too often.
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
  /** Resolves when it has ended, with how: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

interface Supervision<P extends Part> {
  /** "The relay". */
  readonly name: string;
  /** What its end means for a person, after "The relay has ended (SIGKILL) and is restarted." */
  readonly meaning: string;
  /** Throws a StartError when it does not start. */
  readonly start: (previous: P | null) => Promise<P>;
  /** Whether everything is about to be stopped: then an end is nothing to mend. */
  readonly isEnding: () => boolean;
  /** Why an end is no reason to start it again, as a sentence; null when it is one. */
  readonly whyFinal?: () => string | null;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  /** It ended too often, and has been given up. */
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
  /** A start that is under way; `stop` waits for it, so that nothing is left behind. */
  #starting: Promise<void> = Promise.resolve();

  /** Rejects when the first start fails: then there is nothing to keep. */
  static async start<P extends Part>(supervision: Supervision<P>): Promise<SupervisedPart<P>> {
    return new SupervisedPart(supervision, await supervision.start(null));
  }

  private constructor(supervision: Supervision<P>, part: P) {
    this.#supervision = supervision;
    this.#state = { name: 'running', part };
    this.#watch(part);
  }

  /** The one that runs, or the last that did. Null once everything has been stopped. */
  get part(): P | null {
    if (this.#state.name === 'running') return this.#state.part;
    return this.#state.name === 'restarting' ? this.#state.last : null;
  }

  /** Resolves when it has ended, and nothing will start it again. */
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
      // Stopped meanwhile: nobody else knows of it.
      if (this.#state.name === 'stopped') return await part.stop();
      this.#state = { name: 'running', part };
      this.#watch(part);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      if (this.#state.name !== 'stopped') this.#ended(last, `did not start (${error.message})`);
    }
  }
}
