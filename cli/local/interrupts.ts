/**
 * What Ctrl-C does in the terminal of `npm start`. Nothing to lose: everything ends. A program runs in the foreground
 * of a session: it is named, and a second Ctrl-C within three seconds ends everything.
 *
 * npm passes on the SIGINT that the terminal has already sent to all its foreground processes, so one Ctrl-C arrives
 * twice. The question is asked when the second one is there, or does not come.
 *
 *          programs run        echo, or none in time
 *   idle ───────────────► echo ───────────────────────► asked ──── SIGINT ───► stopping
 *    ▲ └───────────────── no programs run ─────────────────┼──────────────────────▲
 *    └──────────────────────── 3 s ────────────────────────┘
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

export const SECOND_WITHIN_MS = 3_000;

/** npm answers within milliseconds; a busy machine takes longer, and to end programs by mistake is worse than to wait. */
export const ECHO_WITHIN_MS = 1_000;

interface InterruptOptions {
  readonly clock: Clock;
  /** Whether each Ctrl-C arrives twice. */
  readonly echoes: boolean;
  /** What would be lost, by name; empty when Ctrl-C needs no question. */
  readonly programs: () => readonly string[];
  readonly ask: (programs: readonly string[]) => void;
  readonly stop: () => void;
}

type State =
  | { readonly name: 'idle' }
  | { readonly name: 'echo'; readonly programs: readonly string[]; readonly cancel: Cancel }
  | { readonly name: 'asked'; readonly cancel: Cancel }
  | { readonly name: 'stopping' };

export class Interrupts {
  readonly #options: InterruptOptions;
  #state: State = { name: 'idle' };

  constructor(options: InterruptOptions) {
    this.#options = options;
  }

  /** A SIGINT has arrived. */
  interrupt(): void {
    const state = this.#state;
    if (state.name === 'idle') this.#first();
    if (state.name === 'echo') {
      state.cancel();
      this.#ask(state.programs);
    }
    if (state.name === 'asked') {
      state.cancel();
      this.#stop();
    }
  }

  #first(): void {
    const { clock, echoes, programs } = this.#options;
    const running = programs();
    if (running.length === 0) return this.#stop();
    if (!echoes) return this.#ask(running);
    const cancel = clock.after(ECHO_WITHIN_MS, () => this.#ask(running));
    this.#state = { name: 'echo', programs: running, cancel };
  }

  #ask(programs: readonly string[]): void {
    const cancel = this.#options.clock.after(SECOND_WITHIN_MS, () => {
      this.#state = { name: 'idle' };
    });
    this.#state = { name: 'asked', cancel };
    this.#options.ask(programs);
  }

  #stop(): void {
    this.#state = { name: 'stopping' };
    this.#options.stop();
  }
}

/** The question, for a person. At most three programs are named. */
export function question(programs: readonly string[]): string {
  const shown = programs.slice(0, 3).join(', ');
  const more = programs.length > 3 ? ` and ${programs.length - 3} more` : '';
  const verb = programs.length === 1 ? 'is' : 'are';
  return `${shown}${more} ${verb} running in a terminal and would end. Press Ctrl-C again within ${SECOND_WITHIN_MS / 1000} s to end everything.`;
}
