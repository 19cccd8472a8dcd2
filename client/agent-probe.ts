/**
 * Checks whether the agent answers. The relay notices a hanging machine only after a while and reports "online" until
 * then; a person who types, or has just come back, should learn it sooner. No check runs on its own, so an idle page
 * wakes nobody.
 *
 *                probe()                 no answer in time
 *   answering ───────────► asked ────────────────────────► silent
 *       ▲                    │                                │
 *       └────────────────────┴────────────────────────────────┘ anything received from the agent, or a new link
 */
import type { Cancel, Clock } from '../protocol/clock.ts';

/** Together with the 3 s after which a key counts as late, the verdict comes within 10 s. */
export const PROBE_AGENT_WITHIN_MS = 5_000;

/** An agent heard from this recently need not be asked. */
export const HEARD_RECENTLY_MS = 1_000;

interface AgentProbeOptions {
  readonly clock: Clock;
  /** Sends the agent a request that it answers at once. */
  readonly ask: () => void;
  readonly changed: () => void;
}

/** `asked`: not known yet. */
export type AgentVerdict = 'answering' | 'asked' | 'silent';

type State =
  | { readonly name: 'answering' }
  | { readonly name: 'asked'; readonly cancel: Cancel }
  | { readonly name: 'silent' };

export class AgentProbe {
  readonly #options: AgentProbeOptions;
  #state: State = { name: 'answering' };
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(options: AgentProbeOptions) {
    this.#options = options;
  }

  get verdict(): AgentVerdict {
    return this.#state.name;
  }

  /** Starts a check, unless one is already pending. */
  probe(): void {
    const { ask, clock } = this.#options;
    if (this.#state.name !== 'answering' || clock.now() - this.#heardAt < HEARD_RECENTLY_MS) return;
    const cancel = clock.after(PROBE_AGENT_WITHIN_MS, () => this.#enter({ name: 'silent' }));
    this.#enter({ name: 'asked', cancel });
    ask();
  }

  /** Something was received from the agent. */
  heard(): void {
    this.#heardAt = this.#options.clock.now();
    if (this.#state.name !== 'answering') this.#enter({ name: 'answering' });
  }

  /** The link was replaced or lost, so requests on the old one prove nothing. */
  reset(): void {
    this.#heardAt = Number.NEGATIVE_INFINITY;
    if (this.#state.name !== 'answering') this.#enter({ name: 'answering' });
  }

  #enter(next: State): void {
    if (this.#state.name === 'asked') this.#state.cancel();
    this.#state = next;
    this.#options.changed();
  }
}
