/**
 * Limits how many reads of viewers (snapshots, lists of commands) a workspace's object and its agent have to do at once.
 * An object handles what arrives in order, so an operator's key waits behind all of them: 32 that one viewer sent at
 * once, again and again, made every key wait for 0.3 to 0.6 s. Further ones wait here. They share no timer, only
 * numbers. Rule RL24.
 */
import type { Context } from 'hono';
import type { Clock } from '../../../protocol/clock.ts';
import { REQUEST_WAIT_MAX_MS, VIEWER_READS_MAX, VIEWERS_READS_MAX } from '../../../protocol/limits.ts';
import { ApiError } from '../../http/api-error.ts';
import type { App } from '../../http/http.ts';
import { Waiters } from '../../metering/waiters.ts';
import { type Owner, ownerKey, ownerOf } from '../../peers/owner.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { onGivenUp } from './object-socket.ts';

/**
 * How often a waiting read looks for a place, and over how many milliseconds the looks are spread; over one for each that
 * waits if that is more. Each look costs the relay some 50 µs: 600 that all looked every 14 ms were most of its work.
 */
const LOOK_EVERY_MS = 10;
const SPREAD_MIN_MS = 8;
const SPREAD_MAX_MS = 1000;

/** Ends a read; may be called more than once. */
type Leave = () => void;

export class ViewerReads {
  readonly #clock: Clock;
  /** By workspace, and by workspace and token; where not zero. */
  readonly #counts = new Map<string, number>();
  #place = 0;
  /** In all workspaces. */
  readonly #waiters = new Waiters(REQUEST_WAIT_MAX_MS + LOOK_EVERY_MS + SPREAD_MAX_MS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the read may begin; throws 429 when it would wait for too long. */
  async enter(workspace: string, owner: Owner): Promise<Leave> {
    if (owner.role !== 'viewer') return () => {};
    const keys = [`${workspace} `, `${workspace} ${ownerKey(owner)}`] as const;
    if (this.#isFull(...keys)) await this.#wait(keys);
    return this.#begin(keys);
  }

  async #wait(keys: readonly [string, string]): Promise<void> {
    const until = this.#clock.now() + REQUEST_WAIT_MAX_MS;
    this.#waiters.join(this.#clock.now());
    try {
      while (this.#isFull(...keys)) {
        if (this.#clock.now() >= until) throw tooMany();
        const waiting = Math.min(this.#waiters.count(this.#clock.now()), SPREAD_MAX_MS);
        const ms = LOOK_EVERY_MS + (this.#place++ % Math.max(SPREAD_MIN_MS, waiting));
        await new Promise<void>((resolve) => void this.#clock.after(ms, resolve));
      }
    } finally {
      this.#waiters.leave();
    }
  }

  #isFull(ofAll: string, ofToken: string): boolean {
    return this.#count(ofAll) >= VIEWERS_READS_MAX || this.#count(ofToken) >= VIEWER_READS_MAX;
  }

  #begin(keys: readonly string[]): Leave {
    for (const key of keys) this.#change(key, 1);
    let isOver = false;
    return () => {
      if (!isOver) for (const key of keys) this.#change(key, -1);
      isOver = true;
    };
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #change(key: string, by: 1 | -1): void {
    const count = this.#count(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

const tooMany = () =>
  new ApiError(
    429,
    'too_many_requests',
    'The viewers of this workspace are waiting for too many answers. Wait, then send fewer.',
    REQUEST_WAIT_MAX_MS,
  );

/** One limit for the isolate. */
const viewerReads = new ViewerReads(workerClock);

/** Performs a read within the limit. One that was aborted runs no further, so its place is released then too. */
export async function readInTurn<T>(c: Context<App>, read: () => Promise<T>): Promise<T> {
  const { workspace, caller } = c.var.principal;
  const leave = await viewerReads.enter(workspace, ownerOf(caller));
  const stopListening = onGivenUp(c, leave);
  try {
    return await read();
  } finally {
    stopListening();
    leave();
  }
}
