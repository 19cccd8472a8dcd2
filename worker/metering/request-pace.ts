/**
 * When an HTTP request is worked on. Of a token's a few are at once; the others wait, and then come one after the other,
 * so that messages of other workspaces pass between them. All tokens of a role in a workspace have such a bucket together,
 * too: who has many tokens has no more of the relay, and viewers take nothing from operators. In the memory of one
 * isolate. Rule RL24.
 *
 * Nothing counts requests that are there: a caller that goes away while it waits is never heard of again.
 */
import {
  BODY_BYTES_PER_REQUEST,
  REQUEST_WAIT_MAX_MS,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_PER_S_MAX,
  REQUESTS_WAITING_MAX,
  WORKSPACE_REQUESTS_AT_ONCE_MAX,
  WORKSPACE_REQUESTS_PER_S_MAX,
  WORKSPACE_REQUESTS_WAITING_MAX,
} from '../../protocol/limits.ts';
import type { Owner } from '../peers/owner.ts';
import { Bucket, type BucketSize } from './bucket.ts';
import { Meter } from './meter.ts';
import { TokenMeter } from './token-meter.ts';

/** A request that has this much inflated for it costs as much as one more. */
const INFLATED_BYTES_PER_REQUEST = 1024 * 1024;

/** … or so many entries of the audit trail written. */
const AUDIT_ENTRIES_PER_REQUEST = 100;

type RequestTurn =
  | { readonly ok: true; readonly waitMs: number }
  | { readonly ok: false; readonly retryAfterMs: number };

/** One that waits is gone from here after the longest wait, whether it was shorter or not. */
const waiting = (most: number): BucketSize => ({
  capacity: most - 1,
  refillPerS: (most * 1000) / REQUEST_WAIT_MAX_MS,
});

/** Whose a request is. */
export interface Asker extends Owner {
  readonly workspace: string;
}

export class RequestPace {
  readonly #tokens = new TokenMeter({ capacity: REQUESTS_AT_ONCE_MAX, refillPerS: REQUESTS_PER_S_MAX });
  /** By workspace and role. */
  readonly #workspaces = new Meter({
    capacity: WORKSPACE_REQUESTS_AT_ONCE_MAX,
    refillPerS: WORKSPACE_REQUESTS_PER_S_MAX,
  });
  readonly #waiting = new Bucket(0, waiting(REQUESTS_WAITING_MAX));
  /** By workspace. */
  readonly #waitingOf = new Meter(waiting(WORKSPACE_REQUESTS_WAITING_MAX));

  enter(asker: Asker, now: number): RequestTurn {
    const owedMs = Math.max(
      this.#tokens.waitMs(asker, now),
      this.#workspaces.waitMs(inWorkspace(asker), now),
    );
    if (owedMs > REQUEST_WAIT_MAX_MS) return { ok: false, retryAfterMs: owedMs };
    if (owedMs > 0 && !this.#mayWait(asker, now)) return { ok: false, retryAfterMs: REQUEST_WAIT_MAX_MS };
    return { ok: true, waitMs: this.#take(asker, 1, now) };
  }

  /** More was done for a request than others cost. */
  charge(
    asker: Asker,
    work: { readonly inflatedBytes?: number; readonly auditEntries?: number; readonly bodyBytes?: number },
    now: number,
  ): void {
    const { inflatedBytes = 0, auditEntries = 0, bodyBytes = 0 } = work;
    const cost =
      inflatedBytes / INFLATED_BYTES_PER_REQUEST +
      auditEntries / AUDIT_ENTRIES_PER_REQUEST +
      bodyBytes / BODY_BYTES_PER_REQUEST;
    this.#take(asker, cost, now);
  }

  #take(asker: Asker, cost: number, now: number): number {
    const ofWorkspace = this.#workspaces.take(inWorkspace(asker), cost, now);
    return Math.max(this.#tokens.take(asker, cost, now), ofWorkspace);
  }

  /** One more waits, if not too many do. */
  #mayWait({ workspace }: Asker, now: number): boolean {
    this.#waiting.take(0, now);
    if (this.#waiting.isEmpty || this.#waitingOf.waitMs(workspace, now) > 0) return false;
    this.#waiting.take(1, now);
    this.#waitingOf.take(workspace, 1, now);
    return true;
  }
}

const inWorkspace = ({ workspace, role }: Asker): string => `${workspace} ${role}`;

export const requestPace = new RequestPace();
