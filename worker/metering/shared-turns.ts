/**
 * The turns (turn.ts) of workspaces whose work is done by several objects. All of them count in one turn, so that having
 * many gives a workspace no larger share. Kept in the memory of one isolate. Rule RL17.
 */
import { METERED_TOKENS_MAX } from '../../protocol/limits.ts';
import { Turn } from './turn.ts';
import type { UnbrokenWork } from './unbroken-work.ts';

export class SharedTurns {
  /** By workspace, least recently used first. */
  readonly #turns = new Map<string, Turn>();
  readonly #unbroken: UnbrokenWork | undefined;

  constructor(unbroken?: UnbrokenWork) {
    this.#unbroken = unbroken;
  }

  of(workspace: string, now: number): Turn {
    const turn = this.#turns.get(workspace) ?? new Turn(now, this.#unbroken);
    this.#turns.delete(workspace);
    this.#turns.set(workspace, turn);
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > METERED_TOKENS_MAX && oldest !== undefined) this.#turns.delete(oldest);
    return turn;
  }
}
