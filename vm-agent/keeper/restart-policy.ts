/**
 * Decides when the agent is started again, and with how much of what was kept. Something that was kept may be what
 * crashes it, so after several early ends in a row it gets less.
 *
 * An agent that has become ready has read everything. If it ends soon afterwards, it may have been killed by somebody
 * else, so it goes on getting the output, and is not made to wait for long.
 */
import type { Start } from './keeper.ts';

/** An agent that ends before it is ready, or this soon afterwards, has ended early. */
export const EARLY_END_MS = 1_000;

/** So many early ends in a row lead to the next step. */
export const EARLY_ENDS_PER_STEP = 3;

const DELAY_FIRST_MS = 100;
const DELAY_LAST_MS = 30_000;
/** … if the last agent has become ready. */
const DELAY_LAST_READY_MS = 1_000;

export class RestartPolicy {
  #earlyEnds = 0;
  /** Of these, the last ones that never became ready. */
  #unreadyEnds = 0;
  #how = '';

  /** `ranMs`: for how long the agent was ready; null if it never was. Returns the delay until the next start. */
  ended(ranMs: number | null, how: string): number {
    this.#how = how;
    this.#earlyEnds = ranMs === null || ranMs < EARLY_END_MS ? this.#earlyEnds + 1 : 0;
    this.#unreadyEnds = ranMs === null ? this.#unreadyEnds + 1 : 0;
    const beyond = this.#earlyEnds - EARLY_ENDS_PER_STEP;
    if (beyond < 0) return 0;
    return Math.min(ranMs === null ? DELAY_LAST_MS : DELAY_LAST_READY_MS, DELAY_FIRST_MS * 2 ** beyond);
  }

  /** What the next agent gets. */
  get start(): Start {
    if (this.#unreadyEnds >= 2 * EARLY_ENDS_PER_STEP) return 'without replay';
    return this.#earlyEnds >= EARLY_ENDS_PER_STEP ? 'without blobs' : 'all';
  }

  /** Why the agent was started with less, in a sentence; null if it was not. */
  get trouble(): string | null {
    if (this.start === 'all') return null;
    const left = this.start === 'without replay' ? 'output from before' : 'saved screens';
    return `The agent ended ${this.#earlyEnds} times in a row right after its start (${this.#how}), so it was started without ${left}.`;
  }
}
