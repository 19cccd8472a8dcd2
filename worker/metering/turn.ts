/**
 * Keeps one workspace from taking the isolate from all others. workerd reads a socket for as long as it has something
 * to read, so whoever sends without pause would be the only one served. What a workspace does is counted; when it has
 * used up its turn, its object pauses and the others are served. While it pauses nothing is read of its sockets, so
 * TCP slows down whoever sends: nothing is lost, and nobody is disconnected. Rule RL17.
 *
 * Counted in units of about 25 µs, because the clock stands still while an event is handled: what a short message
 * takes from the network to its end, all of the process counted.
 */
import { PAUSE_MAX_MS, TURN_COST, TURN_COST_PER_S } from '../../protocol/limits.ts';
import { Bucket } from './bucket.ts';

/** A row is compared with what is known, and perhaps written; or something is noted in the audit trail. */
export const ROW_COST = 4;

/** An event has written something, and its commit waits for the disk: 0.3 to 4 ms were measured. */
export const COMMIT_COST = 80;

/** So many clients are looked at, or named in a list of them, in the time of one unit. */
export const PEERS_PER_UNIT = 16;

/** A pause that leaves half a turn: much shorter ones would follow each other closely. */
const HALF_A_TURN_MS = (TURN_COST / 2 / TURN_COST_PER_S) * 1000;

export class Turn {
  readonly #bucket: Bucket;
  /** All that was ever spent. */
  spent = 0;

  constructor(now: number) {
    this.#bucket = new Bucket(now, { capacity: TURN_COST, refillPerS: TURN_COST_PER_S });
  }

  spend(cost: number, now: number): void {
    this.spent += cost;
    this.#bucket.take(cost, now);
  }

  /** How long to pause; 0 while the turn lasts. What a long pause leaves owing is paid by the next one. */
  get pauseMs(): number {
    return this.#bucket.isEmpty ? Math.min(PAUSE_MAX_MS, this.#bucket.retryAfterMs + HALF_A_TURN_MS) : 0;
  }
}
