/** What a stored session needs of its store. */
import type { Clock } from '../../protocol/clock.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { WorkQueue } from './work-queue.ts';

/** Bytes in the whole state directory. */
export interface Tally {
  bytes: number;
}

export interface SessionHost {
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly budget: MemoryBudget;
  readonly tally: Tally;
  /** There is something to do at the next tick. */
  wake(): void;
  /** Whether `bytes` more are within the quota. */
  fits(bytes: number): boolean;
  /** Whether a session that was dropped for want of room may come back with `bytes`. */
  mayReturn(bytes: number): boolean;
  /** Makes `bytes` fit the quota, if need be at the expense of sessions other than `id`. Runs in the queue. */
  makeRoom(bytes: number, id: string, mayDrop: 'exited' | 'any'): Promise<boolean>;
  /** Output of session `id` is not being saved. */
  failing(id: string, why: string): void;
  /** … and now it is. */
  working(id: string): void;
  /** The session is being deleted; its name is free again. */
  removed(session: { readonly id: string }): void;
}
