/**
 * How many pushes of a workspace may wait, be on their way and for how long, and be sent per second. Viewers get half of
 * each, so that subscriptions that cannot be delivered, such as to hosts that do not exist, do not hold up those of
 * operators.
 *
 * The time limit is no timer: a timer that is due while an object pauses (time.ts) keeps workerd from running the timers
 * after it, also the one that ends the pause, and the object is reset after 30 s. The object's alarm is used instead.
 */
import {
  PUSH_QUEUE_MAX,
  PUSH_WITHIN_MS,
  PUSHES_BURST_MAX,
  PUSHES_IN_FLIGHT_MAX,
  PUSHES_OF_VIEWERS,
  PUSHES_PER_S_MAX,
  PUSHES_TO_HOST_MAX,
} from '../../protocol/limits.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { Bucket } from '../metering/bucket.ts';

interface Way {
  readonly host: string;
  readonly role: ClientRole;
}

interface TakenWay extends Way {
  readonly giveUp: AbortController;
  giveUpAt: number;
}

const isViewers = ({ role }: Pick<Way, 'role'>): boolean => role === 'viewer';

/** The pushes that are on their way, and how many more may be sent. */
export class PushRoom {
  readonly #all: Bucket;
  readonly #ofViewers: Bucket;
  readonly #ways = new Map<string, TakenWay>();

  constructor(now: number) {
    this.#all = new Bucket(now, { capacity: PUSHES_BURST_MAX, refillPerS: PUSHES_PER_S_MAX });
    this.#ofViewers = new Bucket(now, {
      capacity: PUSHES_BURST_MAX * PUSHES_OF_VIEWERS,
      refillPerS: PUSHES_PER_S_MAX * PUSHES_OF_VIEWERS,
    });
  }

  has(push: string): boolean {
    return this.#ways.has(push);
  }

  /** Whether none can be sent before another has ended, whoever wants it. */
  get isFull(): boolean {
    return this.#ways.size >= PUSHES_IN_FLIGHT_MAX;
  }

  hasRoomFor({ host, role }: Way): boolean {
    const ways = [...this.#ways.values()];
    const fits = (among: readonly Way[], part: number) =>
      among.length < PUSHES_IN_FLIGHT_MAX * part &&
      among.filter((way) => way.host === host).length < PUSHES_TO_HOST_MAX * part;
    return fits(ways, 1) && (role !== 'viewer' || fits(ways.filter(isViewers), PUSHES_OF_VIEWERS));
  }

  /** What gives the push up; null when too many were sent lately, which costs nobody anything. */
  enter(push: string, way: Way, now: number): AbortSignal | null {
    const buckets = way.role === 'viewer' ? [this.#ofViewers, this.#all] : [this.#all];
    for (const bucket of buckets) bucket.take(1, now);
    if (buckets.some((bucket) => bucket.isEmpty)) {
      for (const bucket of buckets) bucket.take(-1, now);
      return null;
    }
    const giveUp = new AbortController();
    this.#ways.set(push, { ...way, giveUp, giveUpAt: now + PUSH_WITHIN_MS });
    return giveUp.signal;
  }

  /** Gives up those that take too long. They leave when that is done. */
  giveUpLate(now: number): void {
    for (const way of this.#ways.values()) {
      if (now < way.giveUpAt) continue;
      way.giveUpAt = Number.POSITIVE_INFINITY;
      way.giveUp.abort();
    }
  }

  /** When the next one is to be given up; infinite when none is on its way. */
  get nextGiveUpAt(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#ways.values()].map(({ giveUpAt }) => giveUpAt));
  }

  leave(push: string): void {
    this.#ways.delete(push);
  }
}

/** The places of the queue: which pushes wait there, and who may add another. */
export class QueuePlaces {
  readonly #taken: Set<string>;
  #ofViewers = 0;

  /** `waiting`: the pushes that are in the queue, and the role of whom each is for. */
  constructor(waiting: ReadonlyMap<string, ClientRole>) {
    this.#taken = new Set(waiting.keys());
    for (const role of waiting.values()) if (role === 'viewer') this.#ofViewers++;
  }

  /** Takes a place, or that of an older push to the same browser about the same session. False when there is none. */
  take(push: string, role: ClientRole): boolean {
    if (this.#taken.has(push)) return true;
    if (this.#taken.size >= PUSH_QUEUE_MAX) return false;
    if (role === 'viewer' && this.#ofViewers >= PUSH_QUEUE_MAX * PUSHES_OF_VIEWERS) return false;
    if (role === 'viewer') this.#ofViewers++;
    this.#taken.add(push);
    return true;
  }
}
