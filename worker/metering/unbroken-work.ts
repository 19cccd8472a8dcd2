/**
 * Counts the work that an isolate does without the runtime looking at its connections and timers. The runtime looks only
 * when it has nothing else to do. A workspace that sends without pause uses up its turn and is then paused (turn.ts),
 * but a turn refills with time: of several such workspaces, or on a busy machine, each gets less of the processor than
 * its turn allows and is never paused, so that nobody else is served. Rule RL17.
 *
 * Only a timer that fires shows that the runtime has looked; time that has passed does not.
 */
import { UNBROKEN_COST } from '../../protocol/limits.ts';

export class UnbrokenWork {
  #cost = 0;
  #looks = 0;

  /** In units of a turn. */
  spend(cost: number): void {
    this.#cost += cost;
  }

  /** Whoever works now must wait for a timer, and then call `looked`. */
  get isTooMuch(): boolean {
    return this.#cost >= UNBROKEN_COST;
  }

  /** How often the runtime has looked, as far as is known. To be kept when a timer is set. */
  get looks(): number {
    return this.#looks;
  }

  /**
   * A timer has fired that was set after this many looks. Of all that were set since the same look only the first
   * counts: the others may have fired together with it, and whoever waited for them would work in one go.
   */
  looked(looksBefore: number): void {
    if (looksBefore !== this.#looks) return;
    this.#looks++;
    this.#cost = 0;
  }
}

/** That of this isolate: of all its workspaces and requests. */
export const unbrokenWork = new UnbrokenWork();
