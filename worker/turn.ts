/**
 * Keeps one workspace from taking the isolate from all others. workerd reads a socket for as long as it has something
 * to read, so whoever sends without pause would be the only one served. What a workspace does is counted; when it has
 * used up its turn, its object pauses and the others are served. While it pauses nothing is read of its sockets, so
 * TCP slows down whoever sends: nothing is lost, and nobody is disconnected. Rule RL17.
 *
 * Counted in units of about 10 µs, because the clock stands still while an event is handled.
 */
import { PAUSE_MAX_MS, TURN_COST, TURN_COST_PER_S } from '../protocol/limits.ts';
import { Bucket } from './bucket.ts';

/** A pause that leaves half a turn: much shorter ones would follow each other closely. */
const HALF_A_TURN_MS = (TURN_COST / 2 / TURN_COST_PER_S) * 1000;

export class Turn {
  readonly #bucket: Bucket;

  constructor(now: number) {
    this.#bucket = new Bucket(now, { capacity: TURN_COST, refillPerS: TURN_COST_PER_S });
  }

  spend(cost: number, now: number): void {
    this.#bucket.take(cost, now);
  }

  /** How long to pause; 0 while the turn lasts. What a long pause leaves owing is paid by the next one. */
  get pauseMs(): number {
    return this.#bucket.isEmpty ? Math.min(PAUSE_MAX_MS, this.#bucket.retryAfterMs + HALF_A_TURN_MS) : 0;
  }
}
