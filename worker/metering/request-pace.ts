/**
 * When an HTTP request of a token is worked on. A few are at once; the others wait, and then come one after the other,
 * so that messages of other workspaces pass between them. In the memory of one isolate. Rule RL24.
 *
 * Nothing counts requests that are there: a caller that goes away while it waits is never heard of again.
 */
import {
  REQUEST_WAIT_MAX_MS,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_PER_S_MAX,
  REQUESTS_WAITING_MAX,
} from '../../protocol/limits.ts';
import type { Owner } from '../peers/owner.ts';
import { Bucket } from './bucket.ts';
import { TokenMeter } from './token-meter.ts';

/** A request that has this much inflated for it costs as much as one more. */
const INFLATED_BYTES_PER_REQUEST = 1024 * 1024;

/** … or so many entries of the audit trail written. */
const AUDIT_ENTRIES_PER_REQUEST = 100;

export type RequestTurn =
  | { readonly ok: true; readonly waitMs: number }
  | { readonly ok: false; readonly retryAfterMs: number };

export class RequestPace {
  readonly #meter = new TokenMeter({ capacity: REQUESTS_AT_ONCE_MAX, refillPerS: REQUESTS_PER_S_MAX });
  /** Of all tokens. One that waits is gone from here after the longest wait, whether it was shorter or not. */
  readonly #waiting = new Bucket(0, {
    capacity: REQUESTS_WAITING_MAX - 1,
    refillPerS: (REQUESTS_WAITING_MAX * 1000) / REQUEST_WAIT_MAX_MS,
  });

  enter(owner: Owner, now: number): RequestTurn {
    const owedMs = this.#meter.waitMs(owner, now);
    if (owedMs > REQUEST_WAIT_MAX_MS) return { ok: false, retryAfterMs: owedMs };
    if (owedMs > 0) {
      this.#waiting.take(0, now);
      if (this.#waiting.isEmpty) return { ok: false, retryAfterMs: REQUEST_WAIT_MAX_MS };
      this.#waiting.take(1, now);
    }
    return { ok: true, waitMs: this.#meter.take(owner, 1, now) };
  }

  /** More was done for a request than others cost. */
  charge(
    owner: Owner,
    work: { readonly inflatedBytes?: number; readonly auditEntries?: number },
    now: number,
  ): void {
    const { inflatedBytes = 0, auditEntries = 0 } = work;
    const cost = inflatedBytes / INFLATED_BYTES_PER_REQUEST + auditEntries / AUDIT_ENTRIES_PER_REQUEST;
    this.#meter.take(owner, cost, now);
  }
}

export const requestPace = new RequestPace();
