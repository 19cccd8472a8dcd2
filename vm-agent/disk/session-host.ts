/** What a stored session needs from its store. */
import type { Clock } from '../../protocol/clock.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { WorkQueue } from './work-queue.ts';

/** Bytes used by the whole state directory. */
export interface Tally {
  bytes: number;
}

export interface SessionHost {
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly budget: MemoryBudget;
  readonly tally: Tally;
  /** Schedules the next tick. */
  wake(): void;
  /** Whether `bytes` more are within the quota. */
  fits(bytes: number): boolean;
  /** Whether a session dropped for lack of room may return with `bytes`. */
  mayReturn(bytes: number): boolean;
  /** Makes `bytes` fit the quota, at the expense of sessions other than `id` if necessary. Runs in the queue. */
  makeRoom(bytes: number, id: string, mayDrop: 'exited' | 'any'): Promise<boolean>;
  /** Output of session `id` is not being saved. */
  failing(id: string, why: string): void;
  /** … and now it is again. */
  working(id: string): void;
  /** The session is being deleted; its id is free again. */
  removed(session: { readonly id: string }): void;
}
