/**
 * How much output one client may have on its way, over all its sessions: what its path can carry, and little
 * more. Rule OU9.
 *
 * The Durable Object can neither see nor bound a slow socket, so what is on its way is bounded here, by
 * acknowledgements. A fixed bound is wrong on one path or another: too small for a distant fast one, and on a
 * slow one seconds of output that a Ctrl-C has to wait behind. So it grows while acknowledgements come back
 * promptly and shrinks to what was delivered when they queue.
 */

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

/** Over all clients of a workspace: what they do not take waits in the object's memory, which is 128 MiB. */
export const WORKSPACE_MAX_BYTES = 32 * 1024 * 1024;

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

/** What all clients of a workspace have on their way together. */
export class OutputInFlight {
  bytes = 0;

  /**
   * Nobody may have more on its way than is still free: the last one to come always finds as much as any other
   * may take, and those that stopped acknowledging can not use up what the rest need.
   */
  get freeBytes(): number {
    return WORKSPACE_MAX_BYTES - this.bytes;
  }
}

export class ClientWindow {
  readonly #workspace: OutputInFlight;
  #limit = WINDOW_FIRST_BYTES;
  #outstanding = 0;
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

  get hasRoom(): boolean {
    return this.#outstanding < this.limitBytes;
  }

  /** Half empty: a client that was too slow may be tried again. */
  get isRelieved(): boolean {
    return this.#outstanding <= this.limitBytes / 2;
  }

  /** Whether it has room, and `bytes` more bring it over its limit by no more than a frame may be. */
  fits(bytes: number): boolean {
    return this.hasRoom && this.#outstanding + bytes <= 1.25 * this.limitBytes;
  }

  /** Whether the client is to say how far it is once it has these `bytes` more: then half of its window is used, or more. */
  asksWith(bytes: number): boolean {
    this.#unasked += bytes;
    const limit = this.limitBytes;
    const isWide = limit > ASK_WIDE_BYTES;
    if (this.#unasked < (isWide ? Math.max(ASK_WIDE_BYTES, limit / 2) : limit / 2)) return false;
    this.#unasked = 0;
    return true;
  }

  sent(bytes: number, now: number): void {
    if (this.#outstanding === 0) {
      this.#epochAt = now;
      this.#epochBytes = 0;
    }
    this.#count(bytes);
    if (!this.hasRoom) this.#wasReached = true;
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

  /** `bytes` will not be acknowledged: their session was left, or attached anew. */
  forgive(bytes: number): void {
    this.#count(-bytes);
  }

  #count(bytes: number): void {
    const outstanding = Math.max(0, this.#outstanding + bytes);
    this.#workspace.bytes += outstanding - this.#outstanding;
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
