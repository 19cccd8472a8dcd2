/**
 * Whether a session's program runs, and whether somebody is attached who may type.
 *
 *          operator attaches
 *   orphaned ───────────► attached       When the program ends, both become `exited`, which is final.
 *      ▲                     │
 *      └─────────────────────┘
 *      last operator detaches
 *
 * Clients that only watch change nothing.
 */
import type { Exit } from '../pty/pty.ts';

type State =
  | { readonly name: 'orphaned'; readonly since: Date }
  | { readonly name: 'attached' }
  | { readonly name: 'exited'; readonly exit: Exit };

export class SessionState {
  #state: State = { name: 'orphaned', since: new Date() };

  /** How the program ended; null while it runs. */
  get exit(): Exit | null {
    return this.#state.name === 'exited' ? this.#state.exit : null;
  }

  get orphanedSince(): Date | null {
    return this.#state.name === 'orphaned' ? this.#state.since : null;
  }

  clientsChanged(operators: number): void {
    if (operators > 0 && this.#state.name === 'orphaned') this.#state = { name: 'attached' };
    if (operators === 0 && this.#state.name === 'attached')
      this.#state = { name: 'orphaned', since: new Date() };
  }

  exited(exit: Exit): void {
    this.#state = { name: 'exited', exit };
  }
}
