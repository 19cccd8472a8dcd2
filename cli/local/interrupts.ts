/**
 * Handles Ctrl-C in the terminal of `npm start`. If no program would be lost, everything ends. If a program runs in the
 * foreground of a session, a message names it, and a second Ctrl-C within three seconds ends everything.
 *
 * The terminal sends SIGINT to all its foreground processes, and npm forwards it again, so one Ctrl-C arrives twice.
 * The message is printed when this echo has arrived, or has not come in time.
 *
 *          programs run        echo, or none in time
 *   idle ───────────────► echo ───────────────────────► asked ──── SIGINT ───► stopping
 *    ▲ └───────────────── no programs run ─────────────────┼──────────────────────▲
 *    └──────────────────────── 3 s ────────────────────────┘
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

export const SECOND_WITHIN_MS = 3_000;

/** npm echoes within milliseconds, a busy machine takes longer. Ending programs by mistake is worse than waiting. */
export const ECHO_WITHIN_MS = 1_000;

interface InterruptOptions {
  readonly clock: Clock;
  /** Whether each Ctrl-C arrives twice. */
  readonly echoes: boolean;
  /** Names of the programs that would end; empty when Ctrl-C needs no confirmation. */
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

/** The text of the confirmation. It names at most three programs. */
export function question(programs: readonly string[]): string {
  const shown = programs.slice(0, 3).join(', ');
  const more = programs.length > 3 ? ` and ${programs.length - 3} more` : '';
  const verb = programs.length === 1 ? 'is' : 'are';
  return `${shown}${more} ${verb} running in a terminal and would end. Press Ctrl-C again within ${SECOND_WITHIN_MS / 1000} s to end everything.`;
}
