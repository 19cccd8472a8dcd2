/**
 * Decides when an HTTP request is processed. A token may have a few requests at once; the others wait and then run one
 * after the other, so that messages of other workspaces pass between them. All tokens of one role in a workspace also
 * share a bucket: having many tokens gives no larger share, and viewers take nothing from operators. Kept in the memory
 * of one isolate. Rule RL24.
 *
 * Waiting requests are estimated and not counted, because the runtime does not report a caller that disconnects while
 * it waits.
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
import { type Owner, ownerKey } from '../peers/owner.ts';
import { Bucket, type BucketSize } from './bucket.ts';
import { Meter } from './meter.ts';

/** Inflating this many bytes for a request costs as much as another request. */
const INFLATED_BYTES_PER_REQUEST = 1024 * 1024;

/** Writing this many audit entries in an answer costs as much as another request. */
const AUDIT_ENTRIES_PER_REQUEST = 100;

/** Compiling a pattern in this many steps costs as much as another request. */
const PATTERN_STEPS_PER_REQUEST = 70_000;

/**
 * An agent that connects, and then leaves, is written to storage, and commits wait for the disk while nobody else is
 * served: each costs as much as this many more requests. A healthy agent connects once a second at most.
 */
const REQUESTS_PER_AGENT = 9;

/**
 * A request of somebody who may name any workspace, so that its object sleeps or is new: it is read from storage or
 * written to it.
 */
const REQUESTS_PER_WORKSPACE = 9;

/** Writing this many machines in an answer costs as much as another request: a thousand of them take 7 ms. */
const MACHINES_PER_REQUEST = 50;

/** Work beyond that of an ordinary request. */
interface ExtraWork {
  readonly inflatedBytes?: number;
  readonly auditEntries?: number;
  readonly bodyBytes?: number;
  readonly patternSteps?: number;
  /** Connections of an agent that were accepted. */
  readonly agents?: number;
  /** Workspaces that were named by somebody who may name any. */
  readonly workspaces?: number;
  readonly machines?: number;
}

type RequestTurn =
  | { readonly ok: true; readonly waitMs: number }
  | { readonly ok: false; readonly retryAfterMs: number };

/** A waiting request leaves this estimate after the longest possible wait, even if its own wait was shorter. */
const waiting = (most: number): BucketSize => ({
  capacity: most - 1,
  refillPerS: (most * 1000) / REQUEST_WAIT_MAX_MS,
});

/** The token and workspace of a request. */
export interface RequestOwner extends Owner {
  readonly workspace: string;
}

export class RequestPace {
  /** By workspace and token: who issues tokens chooses their ids, and may use one in several workspaces. */
  readonly #tokens = new Meter({ capacity: REQUESTS_AT_ONCE_MAX, refillPerS: REQUESTS_PER_S_MAX });
  /** By workspace and role. */
  readonly #workspaces = new Meter({
    capacity: WORKSPACE_REQUESTS_AT_ONCE_MAX,
    refillPerS: WORKSPACE_REQUESTS_PER_S_MAX,
  });
  readonly #waiting = new Bucket(0, waiting(REQUESTS_WAITING_MAX));
  /** By workspace. */
  readonly #waitingOf = new Meter(waiting(WORKSPACE_REQUESTS_WAITING_MAX));

  enter(asker: RequestOwner, now: number): RequestTurn {
    const owedMs = Math.max(
      this.#tokens.waitMs(tokenIn(asker), now),
      this.#workspaces.waitMs(inWorkspace(asker), now),
    );
    if (owedMs > REQUEST_WAIT_MAX_MS) return { ok: false, retryAfterMs: owedMs };
    if (owedMs > 0 && !this.#mayWait(asker, now)) return { ok: false, retryAfterMs: REQUEST_WAIT_MAX_MS };
    return { ok: true, waitMs: this.#take(asker, 1, now) };
  }

  charge(asker: RequestOwner, work: ExtraWork, now: number): void {
    this.#take(asker, requestsIn(work), now);
  }

  #take(asker: RequestOwner, cost: number, now: number): number {
    const ofWorkspace = this.#workspaces.take(inWorkspace(asker), cost, now);
    return Math.max(this.#tokens.take(tokenIn(asker), cost, now), ofWorkspace);
  }

  /** Adds a waiting request, unless too many already wait. */
  #mayWait({ workspace }: RequestOwner, now: number): boolean {
    this.#waiting.take(0, now);
    if (this.#waiting.isEmpty || this.#waitingOf.waitMs(workspace, now) > 0) return false;
    this.#waiting.take(1, now);
    this.#waitingOf.take(workspace, 1, now);
    return true;
  }
}

function requestsIn(work: ExtraWork): number {
  const { inflatedBytes = 0, auditEntries = 0, bodyBytes = 0, patternSteps = 0 } = work;
  const { agents = 0, workspaces = 0, machines = 0 } = work;
  return (
    inflatedBytes / INFLATED_BYTES_PER_REQUEST +
    auditEntries / AUDIT_ENTRIES_PER_REQUEST +
    bodyBytes / BODY_BYTES_PER_REQUEST +
    patternSteps / PATTERN_STEPS_PER_REQUEST +
    agents * REQUESTS_PER_AGENT +
    workspaces * REQUESTS_PER_WORKSPACE +
    machines / MACHINES_PER_REQUEST
  );
}

const inWorkspace = ({ workspace, role }: RequestOwner): string => `${workspace} ${role}`;

const tokenIn = (asker: RequestOwner): string => `${asker.workspace} ${ownerKey(asker)}`;

export const requestPace = new RequestPace();
