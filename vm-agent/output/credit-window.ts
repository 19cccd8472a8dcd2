/**
 * Limits how many bytes may be in flight to one client, over all its sessions: what its path can carry, and little
 * more. Rule OU9.
 *
 * The Durable Object can neither see nor limit a slow socket, so the agent limits the bytes in flight by
 * acknowledgements. No fixed limit fits every path: it is too small for a fast, distant one, and on a slow one it
 * queues seconds of output that a Ctrl-C has to wait for. So the window grows while acknowledgements are prompt, and
 * shrinks to the delivered rate when they queue.
 *
 * Every byte counts until the client is gone or has proven that the byte arrived, by acknowledging it or something sent
 * later. Leaving a session, attaching again or hiding it does not reset the count.
 */
import { ECHO_ROOM_MAX_BYTES, REPLAYS_IN_FLIGHT_MAX_BYTES } from '../../protocol/limits.ts';
import { OutputInFlight } from './output-in-flight.ts';
import { type SnapshotName, UnprovenBytes } from './unproven-bytes.ts';

/** A smaller window would cost a round trip per line. */
export const WINDOW_MIN_BYTES = 8 * 1024;

/** 100 ms at 40 MB/s, which is more than a terminal prints. */
export const WINDOW_MAX_BYTES = 4 * 1024 * 1024;

/** The initial window: a quarter of a second on a path of 128 kB/s. */
export const WINDOW_FIRST_BYTES = 32 * 1024;

/**
 * A window wider than this asks for an acknowledgement no sooner than after this many bytes. Four acknowledgements per
 * MiB, on top of sixteen full frames, would be too many messages for bulk output. If this fills the window, the window
 * grows, and half of it is then more than this.
 */
const ASK_WIDE_BYTES = 384 * 1024;

/** Up to this much above the shortest round trip, nobody notices the queue. */
export const PROMPT_MS = 40;

/** More than this above the shortest round trip, a person notices that Ctrl-C waits. */
export const QUEUED_MS = 90;

/** The queue to aim for when it is too long: enough to keep the path busy while the client pauses. */
const AIM_MS = 45;

/**
 * A delivery rate is valid for this long: one late acknowledgement says nothing about the path, a second of them does.
 */
const RATE_FOR_MS = 1_000;

/** The shortest round trip is measured again after this time: a laptop may change networks. */
const SHORTEST_FOR_MS = 30_000;

/** A replay without room is sent anyway after this delay. The delay doubles each time … */
const REPLAY_FORCED_AFTER_MS = 1_000;

/** … up to this. The workspace's limit on bytes in flight still applies. */
const REPLAY_FORCED_MAX_MS = 32_000;

export class CreditWindow {
  readonly #workspace: OutputInFlight;
  #limit = WINDOW_FIRST_BYTES;
  /** Sent, and to be acknowledged by offset in its session. */
  #outstanding = 0;
  /** Sent, and proven only by acknowledgements of later bytes. */
  readonly #unproven = new UnprovenBytes();
  /** Bytes sent so far, over all sessions. */
  #position = 0;
  /** Echoes in flight that were sent without room, and those of them that no session will acknowledge any more. */
  #echoes = 0;
  #leftEchoes = 0;
  #isClosed = false;
  /** When a refused replay is sent anyway; undefined while none has been refused. */
  #forcedAt: number | undefined;
  #forcedAfterMs = REPLAY_FORCED_AFTER_MS;
  /** Bytes sent since the last request for an acknowledgement. */
  #unasked = 0;
  #shortestMs = Number.POSITIVE_INFINITY;
  #shortestSince = 0;
  /** Start of the rate measurement, and the bytes acknowledged since. */
  #epochAt: number | undefined;
  #epochBytes = 0;
  /**
   * Whether the limit was reached since its last change: only then does a prompt acknowledgement mean that there is
   * room.
   */
  #wasReached = false;
  /** Growth factor: large until the path was full for the first time, small afterwards. */
  #growth = 2;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** The best recent delivery rate, in bytes per millisecond. */
  #bestRate = 0;
  #bestRateAt = 0;

  constructor(workspace = new OutputInFlight()) {
    this.#workspace = workspace;
  }

  get limitBytes(): number {
    return Math.min(this.#limit, Math.max(WINDOW_MIN_BYTES, this.#workspace.freeBytes));
  }

  get outstandingBytes(): number {
    return this.#outstanding;
  }

  /** All bytes in flight, including those that their session will not acknowledge. */
  get inFlightBytes(): number {
    return this.#outstanding + this.#unproven.bytes;
  }

  /** How many bytes were sent so far. */
  get position(): number {
    return this.#position;
  }

  get hasRoom(): boolean {
    return this.#load < this.limitBytes;
  }

  /** Far over its limit: this client no longer counts as the fastest. */
  get isOverdrawn(): boolean {
    return this.#load >= 2 * this.limitBytes;
  }

  /** At most half full: a lagging client may resume. */
  get isRelieved(): boolean {
    return this.#load <= this.limitBytes / 2;
  }

  /** Whether there is room, and `bytes` more exceed the limit by at most one frame. */
  fits(bytes: number): boolean {
    const limit = this.limitBytes;
    const load = this.#load;
    return load < limit && load + bytes <= 1.25 * limit;
  }

  /** Whether an echo of `bytes` may be sent although there is no room. */
  fitsEcho(bytes: number): boolean {
    return this.#echoes + this.#leftEchoes + bytes <= ECHO_ROOM_MAX_BYTES;
  }

  /**
   * Whether a replay or a snapshot of `bytes` may be sent now. A refused one is retried later: a client that attached
   * again before it acknowledged the previous replay never will, and must not wait forever.
   */
  admits(bytes: number, now: number): boolean {
    const after = this.inFlightBytes + bytes;
    if (bytes === 0 || after <= WINDOW_MIN_BYTES) return true;
    if (after > this.#workspace.freeBytes - bytes) return false;
    if (after === bytes || after <= this.#limit + REPLAYS_IN_FLIGHT_MAX_BYTES) return true;
    this.#forcedAt ??= now + this.#forcedAfterMs;
    return now >= this.#forcedAt;
  }

  /** Whether the frame with these `bytes` asks for an acknowledgement: half of the window or more is then used. */
  asksWith(bytes: number): boolean {
    this.#unasked += bytes;
    const limit = this.limitBytes;
    const isCrowded = this.#unproven.bytes > 0 && this.#load + bytes >= limit;
    const askAt = limit > ASK_WIDE_BYTES ? Math.max(ASK_WIDE_BYTES, limit / 2) : limit / 2;
    if (!isCrowded && this.#unasked < askAt) return false;
    this.#unasked = 0;
    return true;
  }

  sent(bytes: number, now: number): void {
    if (this.#outstanding === 0) {
      this.#epochAt = now;
      this.#epochBytes = 0;
    }
    this.#position += bytes;
    this.#count(bytes);
    if (!this.hasRoom) this.#wasReached = true;
  }

  /** A snapshot was sent, as part of a replay or alone; `admits` allowed it. */
  sentSnapshot(bytes: number, name: SnapshotName): void {
    if (this.#isClosed) return;
    this.#position += bytes;
    this.#unproven.add(bytes, this.#position, name);
    this.#workspace.add(bytes);
  }

  /** The client acknowledged a snapshot. */
  snapshotAcknowledged(name: SnapshotName): void {
    const position = this.#unproven.positionOf(name);
    if (position !== undefined) this.prove(position);
  }

  /** A replay of `bytes` that `admits` allowed is about to be sent. */
  replaying(bytes: number, now: number): void {
    if (
      this.#forcedAt === undefined ||
      this.inFlightBytes + bytes <= this.#limit + REPLAYS_IN_FLIGHT_MAX_BYTES
    )
      return;
    this.#forcedAfterMs = Math.min(2 * this.#forcedAfterMs, REPLAY_FORCED_MAX_MS);
    this.#forcedAt = now + this.#forcedAfterMs;
  }

  /** Changes the number of echo bytes in flight that were sent without room. */
  countEchoes(bytes: number): void {
    this.#echoes += bytes;
  }

  /** Marks echoes that no session will acknowledge any more. */
  abandonEchoes(bytes: number): void {
    this.#echoes -= bytes;
    this.#leftEchoes += bytes;
  }

  /** `bytes` were acknowledged, the last of them `roundTripMs` after they were sent. */
  acknowledged(bytes: number, roundTripMs: number, now: number): void {
    this.#count(-bytes);
    this.#epochBytes += bytes;
    if (roundTripMs <= this.#shortestMs || now - this.#shortestSince > SHORTEST_FOR_MS) {
      this.#shortestMs = roundTripMs;
      this.#shortestSince = now;
    }
    this.#adapt(roundTripMs, now);
  }

  /** `bytes` in flight will not be acknowledged: the client left their session or continues it from another offset. */
  abandon(bytes: number): void {
    if (this.#isClosed) return;
    const abandoned = Math.min(bytes, this.#outstanding);
    this.#outstanding -= abandoned;
    this.#unproven.add(abandoned, this.#position);
  }

  /** Bytes sent at `position` were acknowledged, so everything sent before has arrived. */
  prove(position: number): void {
    if (this.#unproven.bytes === 0) return;
    const proven = this.#unproven.prove(position);
    if (proven === 0) return;
    this.#workspace.add(-proven);
    if (this.#unproven.bytes === 0) this.#leftEchoes = 0;
    this.#forcedAt = undefined;
    this.#forcedAfterMs = REPLAY_FORCED_AFTER_MS;
  }

  /** The client is gone, and with it everything in flight to it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#workspace.add(-this.inFlightBytes);
  }

  /** The part of `inFlightBytes` that takes room from live output: snapshots within their own limit do not. */
  get #load(): number {
    if (this.#unproven.bytes === 0) return this.#outstanding;
    return this.#outstanding + Math.max(0, this.#unproven.bytes - this.#replayRoom);
  }

  get #replayRoom(): number {
    return Math.min(REPLAYS_IN_FLIGHT_MAX_BYTES, Math.max(0, this.#workspace.freeBytes));
  }

  #count(bytes: number): void {
    if (this.#isClosed) return;
    const outstanding = Math.max(0, this.#outstanding + bytes);
    this.#workspace.add(outstanding - this.#outstanding);
    this.#outstanding = outstanding;
  }

  /** Runs at most once per round trip: a change shows its effect one round trip later. */
  #adapt(roundTripMs: number, now: number): void {
    this.#measureRate(now);
    if (now - this.#changedAt < this.#shortestMs) return;
    const queuedMs = roundTripMs - this.#shortestMs;
    if (queuedMs > QUEUED_MS) {
      // What the path carries, plus a little. A window below that causes no queue, so the delay has another cause.
      const enough = this.#bestRate * (this.#shortestMs + AIM_MS);
      this.#growth = 1.25;
      if (enough < this.#limit) this.#change(enough, now);
    } else if (queuedMs < PROMPT_MS && this.#wasReached) {
      this.#change(this.#limit * this.#growth, now);
    }
  }

  #change(bytes: number, now: number): void {
    this.#limit = Math.round(Math.min(WINDOW_MAX_BYTES, Math.max(WINDOW_MIN_BYTES, bytes)));
    this.#changedAt = now;
    this.#wasReached = !this.hasRoom;
    this.#epochAt = now;
    this.#epochBytes = 0;
  }

  /** Bytes delivered per millisecond since the limit last changed. Shorter periods than a round trip are noise. */
  #measureRate(now: number): void {
    const elapsed = now - (this.#epochAt ?? now);
    if (elapsed < Math.max(1, this.#shortestMs)) return;
    const rate = this.#epochBytes / elapsed;
    if (rate < this.#bestRate && now - this.#bestRateAt < RATE_FOR_MS) return;
    this.#bestRate = rate;
    this.#bestRateAt = now;
  }
}
