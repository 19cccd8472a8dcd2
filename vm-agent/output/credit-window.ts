/**
 * Limits how many bytes may be in flight to one client, over all its sessions: what its path can carry, and little
 * more. Rule OU9.
 *
 * The Durable Object can neither see nor limit a slow socket, so the agent limits the bytes in flight by
 * acknowledgements. No fixed limit fits every path: it is too small for a fast, distant one, and on a slow one it
 * queues seconds of output that a Ctrl-C has to wait for. So the limit adapts to the path (window-limit.ts).
 *
 * Every byte counts until the client is gone or has proven that the byte arrived, by acknowledging it or something sent
 * later. Leaving a session, attaching again or hiding it does not reset the count.
 */
import { REPLAYS_IN_FLIGHT_MAX_BYTES } from '../../protocol/limits.ts';
import { EchoRoom } from './echo-room.ts';
import { OutputInFlight } from './output-in-flight.ts';
import { ReplayDelay } from './replay-delay.ts';
import { type SnapshotName, UnprovenBytes } from './unproven-bytes.ts';
import { WindowLimit } from './window-limit.ts';

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

export class CreditWindow {
  readonly #workspace: OutputInFlight;
  readonly #limit = new WindowLimit({
    first: WINDOW_FIRST_BYTES,
    min: WINDOW_MIN_BYTES,
    max: WINDOW_MAX_BYTES,
  });
  /** Echoes that are sent although there is no room. */
  readonly echoes = new EchoRoom();
  readonly #replayDelay = new ReplayDelay();
  /** Sent, and to be acknowledged by offset in its session. */
  #outstanding = 0;
  /** Sent, and proven only by acknowledgements of later bytes. */
  readonly #unproven = new UnprovenBytes();
  /** Bytes sent so far, over all sessions. */
  #position = 0;
  #isClosed = false;
  /** Bytes sent since the last request for an acknowledgement. */
  #unasked = 0;

  constructor(workspace = new OutputInFlight()) {
    this.#workspace = workspace;
  }

  get limitBytes(): number {
    return Math.min(this.#limit.bytes, Math.max(WINDOW_MIN_BYTES, this.#workspace.freeBytes));
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

  /** Whether a replay or a snapshot of `bytes` may be sent now. A refused one is retried later. */
  admits(bytes: number, now: number): boolean {
    const after = this.inFlightBytes + bytes;
    if (bytes === 0 || after <= WINDOW_MIN_BYTES) return true;
    if (after > this.#workspace.freeBytes - bytes) return false;
    if (after === bytes || this.#hasReplayRoom(bytes)) return true;
    return this.#replayDelay.isOver(now);
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
    if (this.#outstanding === 0) this.#limit.measureFrom(now);
    this.#position += bytes;
    this.#count(bytes);
    if (!this.hasRoom) this.#limit.reached();
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
    if (!this.#hasReplayRoom(bytes)) this.#replayDelay.sent(now);
  }

  /** `bytes` were acknowledged, the last of them `roundTripMs` after they were sent. */
  acknowledged(bytes: number, roundTripMs: number, now: number): void {
    this.#count(-bytes);
    if (this.#limit.acknowledged(bytes, roundTripMs, now) && !this.hasRoom) this.#limit.reached();
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
    if (this.#unproven.bytes === 0) this.echoes.abandonedArrived();
    this.#replayDelay.reset();
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

  #hasReplayRoom(bytes: number): boolean {
    return this.inFlightBytes + bytes <= this.#limit.bytes + REPLAYS_IN_FLIGHT_MAX_BYTES;
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
}
