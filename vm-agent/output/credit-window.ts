/**
 * How much output one client may have on its way, over all its sessions: what its path can carry, and little
 * more. Rule OU9.
 *
 * The Durable Object can neither see nor bound a slow socket, so what is on its way is bounded here, by
 * acknowledgements. A fixed bound is wrong on one path or another: too small for a distant fast one, and on a
 * slow one seconds of output that a Ctrl-C has to wait behind. So it grows while acknowledgements come back
 * promptly and shrinks to what was delivered when they queue.
 *
 * Every byte stays counted until the client has proven that it arrived, or is gone: by acknowledging it, or by
 * acknowledging something sent later. Leaving a session, attaching again or hiding it forgives nothing.
 */
import { ECHO_ROOM_MAX_BYTES, REPLAYS_IN_FLIGHT_MAX_BYTES } from '../../protocol/limits.ts';
import { OutputInFlight } from './output-in-flight.ts';
import { type SnapshotName, UnprovenBytes } from './unproven-bytes.ts';

/** Less would cost a round trip per line. */
export const WINDOW_MIN_BYTES = 8 * 1024;

/** 100 ms at 40 MB/s, which is more than a terminal prints. */
export const WINDOW_MAX_BYTES = 4 * 1024 * 1024;

/** A quarter of a second on a path of 128 kB/s, before anything is known of it. */
export const WINDOW_FIRST_BYTES = 32 * 1024;

/**
 * A wide window asks its client no sooner than this: four answers a MiB, beside sixteen full frames, are more messages than a
 * flood is to cost. If that fills it, it grows, and half of it is more.
 */
const ASK_WIDE_BYTES = 384 * 1024;

/** Below this much more than the shortest round trip, nothing queues that a person would notice. */
export const PROMPT_MS = 40;

/** Above this much more, a person would notice that Ctrl-C waits. */
export const QUEUED_MS = 90;

/** How much of a queue is aimed at when it is too long: enough to keep the path busy over the client's pauses. */
const AIM_MS = 45;

/** A rate of delivery counts for this long: one late answer says nothing about the path, a second of them does. */
const RATE_FOR_MS = 1_000;

/** The shortest round trip is looked for anew now and then: a path may change under a laptop. */
const SHORTEST_FOR_MS = 30_000;

/** A replay that has no room is sent all the same after this long, the next after twice as long, and so on … */
const REPLAY_FORCED_AFTER_MS = 1_000;

/** … up to this. What the workspace may have on its way bounds it all the same. */
const REPLAY_FORCED_MAX_MS = 32_000;

export class CreditWindow {
  readonly #workspace: OutputInFlight;
  #limit = WINDOW_FIRST_BYTES;
  /** Sent, and to be acknowledged by its session. */
  #outstanding = 0;
  /** Sent, and proven by what is sent later. */
  readonly #unproven = new UnprovenBytes();
  /** Sent so far, over all sessions. */
  #position = 0;
  /** Echoes that are on their way although there was no room, and those of them that no session acknowledges any more. */
  #echoes = 0;
  #leftEchoes = 0;
  #isClosed = false;
  /** When a replay that has no room is sent all the same; undefined while none has been refused. */
  #forcedAt: number | undefined;
  #forcedAfterMs = REPLAY_FORCED_AFTER_MS;
  /** Sent since an acknowledgement was last asked for. */
  #unasked = 0;
  #shortestMs = Number.POSITIVE_INFINITY;
  #shortestSince = 0;
  /** Bytes acknowledged since, for the rate of delivery. */
  #epochAt: number | undefined;
  #epochBytes = 0;
  /** Whether the limit was reached since it was last changed: only then does a prompt answer say that there is room. */
  #wasReached = false;
  /** What it grows by: fast until the path has been found full for the first time, carefully since. */
  #growth = 2;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** The best rate of delivery lately, in bytes per millisecond. */
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

  /** Everything on its way, also what its session will not acknowledge. */
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

  /** Far beyond its limit: even one that was the fastest is not any more. */
  get isOverdrawn(): boolean {
    return this.#load >= 2 * this.limitBytes;
  }

  /** Half empty: a client that was too slow may be tried again. */
  get isRelieved(): boolean {
    return this.#load <= this.limitBytes / 2;
  }

  /** Whether it has room, and `bytes` more bring it over its limit by no more than a frame may be. */
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
   * Whether a replay or a snapshot of `bytes` may be sent now. One that may not is tried again later: a client that
   * attached anew before it had acknowledged the replay before will never do so, and is not left waiting for good.
   */
  admits(bytes: number, now: number): boolean {
    const after = this.inFlightBytes + bytes;
    if (bytes === 0 || after <= WINDOW_MIN_BYTES) return true;
    if (after > this.#workspace.freeBytes - bytes) return false;
    if (after === bytes || after <= this.#limit + REPLAYS_IN_FLIGHT_MAX_BYTES) return true;
    this.#forcedAt ??= now + this.#forcedAfterMs;
    return now >= this.#forcedAt;
  }

  /** Whether the client is to say how far it is once it has these `bytes` more: then half of its window is used, or more. */
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

  /** A snapshot was sent, as a part of a replay or by itself; `admits` has been asked. */
  sentSnapshot(bytes: number, name: SnapshotName): void {
    if (this.#isClosed) return;
    this.#position += bytes;
    this.#unproven.add(bytes, this.#position, name);
    this.#workspace.add(bytes);
  }

  /** The client says that it has a snapshot. */
  snapshotAcknowledged(name: SnapshotName): void {
    const position = this.#unproven.positionOf(name);
    if (position !== undefined) this.prove(position);
  }

  /** `admits` was asked for a replay of `bytes`, which is about to be sent. */
  replaying(bytes: number, now: number): void {
    if (
      this.#forcedAt === undefined ||
      this.inFlightBytes + bytes <= this.#limit + REPLAYS_IN_FLIGHT_MAX_BYTES
    )
      return;
    this.#forcedAfterMs = Math.min(2 * this.#forcedAfterMs, REPLAY_FORCED_MAX_MS);
    this.#forcedAt = now + this.#forcedAfterMs;
  }

  /** Echoes for which there was no room: so many more are on their way, or fewer. */
  countEchoes(bytes: number): void {
    this.#echoes += bytes;
  }

  /** Echoes that no session will acknowledge any more. */
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

  /** `bytes` of what is on its way will not be acknowledged: their session was left, or is shown from elsewhere. */
  abandon(bytes: number): void {
    if (this.#isClosed) return;
    const abandoned = Math.min(bytes, this.#outstanding);
    this.#outstanding -= abandoned;
    this.#unproven.add(abandoned, this.#position);
  }

  /** Something was acknowledged that was sent at `position`: whatever was sent before has arrived. */
  prove(position: number): void {
    if (this.#unproven.bytes === 0) return;
    const proven = this.#unproven.prove(position);
    if (proven === 0) return;
    this.#workspace.add(-proven);
    if (this.#unproven.bytes === 0) this.#leftEchoes = 0;
    this.#forcedAt = undefined;
    this.#forcedAfterMs = REPLAY_FORCED_AFTER_MS;
  }

  /** The client is gone, and what was on its way to it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#workspace.add(-this.inFlightBytes);
  }

  /** What of `inFlightBytes` takes room from live output: snapshots within their own bound do not. */
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

  /** At most once per round trip: a change shows its effect one round trip later. */
  #adapt(roundTripMs: number, now: number): void {
    this.#measureRate(now);
    if (now - this.#changedAt < this.#shortestMs) return;
    const queuedMs = roundTripMs - this.#shortestMs;
    if (queuedMs > QUEUED_MS) {
      // What the path carries, and a little: a window within that makes no queue, somebody else was late.
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

  /** Bytes delivered per millisecond since the limit was last changed, over a round trip at least: less is chance. */
  #measureRate(now: number): void {
    const elapsed = now - (this.#epochAt ?? now);
    if (elapsed < Math.max(1, this.#shortestMs)) return;
    const rate = this.#epochBytes / elapsed;
    if (rate < this.#bestRate && now - this.#bestRateAt < RATE_FOR_MS) return;
    this.#bestRate = rate;
    this.#bestRateAt = now;
  }
}
