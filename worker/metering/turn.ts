/**
 * Keeps one workspace from monopolising the isolate. workerd reads a socket for as long as it has data, so a client
 * that sends without pause would be the only one served. The work of a workspace is counted; when it has used up its
 * turn, its object pauses and the others are served. During the pause nothing is read from its sockets, so TCP slows
 * the senders down: nothing is lost, and nobody is disconnected. Rule RL17.
 *
 * Work is counted in units of about 25 µs, because the clock stands still while an event is handled. One unit is the
 * total CPU time of a short message, over the whole process.
 */
import { PAUSE_MAX_MS, TURN_COST, TURN_COST_PER_S } from '../../protocol/limits.ts';
import { Bucket } from './bucket.ts';
import type { UnbrokenWork } from './unbroken-work.ts';

/** Comparing a row with what is known and perhaps writing it, or recording something in the audit trail. */
export const ROW_COST = 4;

/** An event has written to storage and its commit waits for the disk, for which 0.3 to 4 ms were measured. */
export const COMMIT_COST = 80;

/**
 * Sending a frame or a text to one connection. Each is a system call of its own: about 40 µs. Counted as half of that,
 * an agent that has every message sent to 32 clients makes a turn last 4 to 6 ms.
 */
export const RECIPIENT_COST = 1.6;

/**
 * Forwarding a client's frame to the agent, in addition to receiving it. It is cheaper than sending to many
 * connections: floods of such frames keep within their turn with this value.
 */
export const FORWARD_COST = 0.8;

/**
 * How many bytes of a message that is too long the runtime receives in the time of one unit. It unmasks and decodes the
 * whole message, of up to 32 MiB, before the object sees it: 0.7 ms for each MiB, of which twice as much is counted,
 * because no honest peer sends any.
 */
const OVERLONG_BYTES_PER_UNIT = 16 * 1024;

/** Cost of having received a message that is `bytes` longer than it may be. */
export const overlongCost = (bytes: number): number => Math.max(0, bytes) / OVERLONG_BYTES_PER_UNIT;

/** Cost of a message of a peer that was closed and keeps sending, or that has not proven its key. */
export const unseatedCost = (message: string | ArrayBuffer): number =>
  1 + overlongCost(typeof message === 'string' ? message.length : message.byteLength);

/**
 * A connection: it is seated and announced to the agent, and the same again when it ends. One token at its full request
 * rate (RL24) uses half of what a workspace may use per second: a viewer that asks without pause must not delay
 * operators.
 */
export const CONNECT_COST = 100;

/** Reading an entry of the audit trail. */
export const AUDIT_ENTRY_COST = 0.5;

/** A push: 0.2 ms to encrypt and sign it, and several times as much is counted for its connection and its row. */
export const PUSH_COST = 40;

/** A report to the fleet: counting the sessions in storage, and a call. */
export const REPORT_COST = 40;

/** Putting a push into the queue, of which one moment can cause one for every subscription. */
export const QUEUED_COST = 1;

/** How many clients can be checked, or named in a list, in the time of one unit. */
export const PEERS_PER_UNIT = 16;

/** A pause lasts until half a turn is refilled; much shorter pauses would follow each other closely. */
const HALF_A_TURN_MS = (TURN_COST / 2 / TURN_COST_PER_S) * 1000;

/** Less than timers can measure: the pause ends as soon as the runtime has looked at its connections. */
const SHORTEST_PAUSE_MS = 0.001;

export class Turn {
  readonly #bucket: Bucket;
  readonly #unbroken: UnbrokenWork | undefined;
  /** Everything ever spent. */
  spent = 0;

  /** `unbroken`: the work of the whole isolate. */
  constructor(now: number, unbroken?: UnbrokenWork) {
    this.#unbroken = unbroken;
    this.#bucket = new Bucket(now, { capacity: TURN_COST, refillPerS: TURN_COST_PER_S });
  }

  spend(cost: number, now: number): void {
    this.spent += cost;
    this.#unbroken?.spend(cost);
    this.#bucket.take(cost, now);
  }

  /**
   * How long to pause; 0 while the turn lasts. A debt that exceeds the longest pause is carried over to the next one.
   * Call `beginPause` when the pause begins.
   */
  get pauseMs(): number {
    if (this.#bucket.isEmpty) return Math.min(PAUSE_MAX_MS, this.#bucket.retryAfterMs + HALF_A_TURN_MS);
    return this.#unbroken?.isTooMuch ? SHORTEST_PAUSE_MS : 0;
  }

  /** Returns what to call after the pause. */
  beginPause(): () => void {
    const looks = this.#unbroken?.looks ?? 0;
    return () => this.#unbroken?.looked(looks);
  }
}
