/**
 * Output on its way to a screen's terminal: queued, held back while a watched burst lasts, and sent to the thread in
 * the amounts that it may have. Says when the program must be paused.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import { BurstHold } from './burst-hold.ts';
import type { ChunkPool } from './chunk-pool.ts';
import {
  DEVICE_ANSWER_WITHIN_MS,
  DRAIN_ROOM_BYTES,
  DRAINED_MAX_BYTES,
  IN_FLIGHT_MAX_BYTES,
  PARSE_SLICE_MS,
  SCREEN_QUEUE_MAX_BYTES,
  SCREEN_QUEUE_MAX_MS,
  SLOW_QUEUE_MIN_BYTES,
} from './limits.ts';
import { OutputQueue } from './output-queue.ts';
import type { ThreadLink } from './thread-link.ts';
import type { Progress } from './thread-messages.ts';
import { Watermark } from './watermark.ts';

/** What all screens of a pool share. */
export interface FeedHome {
  readonly clock: Clock;
  /** The queues of all screens together are full. */
  readonly isFull: boolean;
  readonly chunks: ChunkPool;
  /** The queue grew or shrank by this many bytes, or the thread got a request. */
  queued(change: number): void;
}

interface FeedEvents {
  /** While full, the program must be paused. */
  full(isFull: boolean): void;
  /** A burst is over: what was held back may be sent. */
  burstOver(): void;
}

export class OutputFeed {
  readonly queue: OutputQueue;
  readonly #home: FeedHome;
  readonly #events: FeedEvents;
  readonly #level = new Watermark(SCREEN_QUEUE_MAX_BYTES);
  readonly #burst: BurstHold;
  readonly #pace = new ParsePace();
  readonly #whenDrained: (() => void)[] = [];
  /** The limit while the queue is drained. */
  #drainBytes = Number.POSITIVE_INFINITY;
  #wasFull = false;

  constructor(size: Size, offset: number, home: FeedHome, events: FeedEvents) {
    this.#home = home;
    this.#events = events;
    this.queue = new OutputQueue(offset, size, home.chunks);
    this.#burst = new BurstHold(home.clock, () => events.burstOver());
  }

  get isFull(): boolean {
    const isPoolFull = this.#home.isFull && !this.#isDraining;
    return this.#level.isFull || (isPoolFull && this.queue.bytes > IN_FLIGHT_MAX_BYTES);
  }

  get #isDraining(): boolean {
    return this.#drainBytes !== Number.POSITIVE_INFINITY;
  }

  /** Whether a burst is held back for the clients. */
  get isHolding(): boolean {
    return this.#burst.isHolding;
  }

  /** Copies `bytes`, which must directly follow what was written before. */
  write(offset: number, bytes: Uint8Array, isWatched: boolean): void {
    this.queue.write(offset, bytes, this.#home.clock.now());
    if (isWatched) this.#burst.printed(bytes, this.queue.bytes);
    this.account();
  }

  /** The thread has made this progress; `tookMs` is how long it parsed for that, if it did. */
  parsed(progress: Progress, tookMs = 0): void {
    const before = this.queue.start;
    this.queue.parsed(progress);
    const bytes = this.queue.start - before;
    this.#pace.parsed(bytes, tookMs);
    this.#drainBytes = Math.max(DRAINED_MAX_BYTES, this.#drainBytes - bytes / 2);
    this.#limit();
  }

  /**
   * Resolves once little is queued, and keeps it so. The program may print half as much as is parsed: if it were paused,
   * whoever watches would see nothing for a third of a second.
   */
  drain(): Promise<void> {
    this.#drainBytes = Math.min(this.#drainBytes, Math.max(DRAINED_MAX_BYTES, this.queue.bytes));
    this.#level.room = DRAIN_ROOM_BYTES;
    this.#limit();
    const drained = new Promise<void>((resolve) => this.#whenDrained.push(resolve));
    this.account();
    this.release();
    return drained;
  }

  #limit(): void {
    const fitting = Math.max(SLOW_QUEUE_MIN_BYTES, this.#pace.bytesIn(SCREEN_QUEUE_MAX_MS));
    this.#level.limit = Math.min(SCREEN_QUEUE_MAX_BYTES, fitting, this.#drainBytes);
  }

  /** Whether a reply to what was printed at `offset` comes too late: the program has given up waiting for it. */
  isLate(offset: number): boolean {
    const queuedAt = this.queue.queuedAt(offset);
    return queuedAt === undefined || this.#home.clock.now() - queuedAt > DEVICE_ANSWER_WITHIN_MS;
  }

  /** Nothing is held back any longer. */
  endBurst(): void {
    this.#burst.stop();
  }

  /** … and what was is sent. */
  release(): void {
    this.endBurst();
    this.#events.burstOver();
  }

  /** Sends the thread as much as it may have. */
  sendTo(thread: ThreadLink, screen: number): void {
    for (const piece of this.queue.take()) {
      if (piece.kind === 'resize') thread.post({ type: 'resize', screen, size: piece.size });
      else thread.post({ type: 'output', screen, offset: piece.offset, bytes: piece.bytes });
    }
  }

  /** The queue has grown or shrunk. */
  account(): void {
    const change = this.queue.bytes - this.#level.level;
    this.#level.set(this.queue.bytes);
    if (change !== 0) this.#home.queued(change);
    if (this.queue.bytes <= DRAINED_MAX_BYTES) for (const drained of this.#whenDrained.splice(0)) drained();
    this.tellFull();
  }

  /** This queue or the pool's may have become full, or may be full no longer. */
  tellFull(): void {
    if (this.isFull === this.#wasFull) return;
    this.#wasFull = this.isFull;
    this.#events.full(this.#wasFull);
  }

  /** The screen is closed, and what is queued counts no more. */
  close(): void {
    this.#burst.stop();
    for (const drained of this.#whenDrained.splice(0)) drained();
    this.#home.queued(-this.#level.level);
  }
}

/** Less time than this says nothing: a short pause of the machine would look like slow output. */
const MEASURED_MIN_MS = 50;

/** Older measurements count half each time this much was measured. */
const REMEMBERED_MS = 200;

/**
 * Estimates how fast the thread parses one session's output: by time spent on it, whatever else the thread does. Most
 * output is parsed at tens of megabytes per second; a terminal reset after every byte, at a few kilobytes.
 */
export class ParsePace {
  #bytes = 0;
  #ms = 0;

  /** One slice parsed `bytes` in `tookMs`. A short slice is mostly overhead, and one without output is no measure. */
  parsed(bytes: number, tookMs: number): void {
    if (bytes === 0 || tookMs < PARSE_SLICE_MS) return;
    this.#bytes += bytes;
    this.#ms += tookMs;
    if (this.#ms < REMEMBERED_MS) return;
    this.#bytes /= 2;
    this.#ms /= 2;
  }

  /** How many bytes it parses in this time; infinitely many until that was measured. */
  bytesIn(ms: number): number {
    return this.#ms < MEASURED_MIN_MS ? Number.POSITIVE_INFINITY : (this.#bytes / this.#ms) * ms;
  }
}
