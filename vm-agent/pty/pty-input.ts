/**
 * Queues input for a terminal. It is written at once if the terminal has room, which has half the latency of the thread
 * pool. Otherwise it is retried with growing delays, because nothing signals when a terminal has room again.
 */
import { writeSync } from 'node:fs';
import { ANSWER_BACKLOG_MAX_BYTES } from '../../protocol/limits.ts';
import type { WaitingInput } from './pty.ts';
import { signalKeyIn } from './signal-keys.ts';

/** First retry delay for a full terminal: a program that reads empties it within a millisecond. */
const RETRY_FIRST_MS = 1;
/** … and the longest delay: hundreds of programs that never read cost nothing, and one that resumes waits little. */
const RETRY_LAST_MS = 100;

/** Once the delay reaches this, nothing was taken for about as long: the program does not read. */
const STUCK_RETRY_MS = 64;

/**
 * Every write that waits counts at least this much, roughly what it needs in memory, so that short writes cannot pile
 * up: a million of one byte each need 450 MB. An empty write waits like any other. It stands for input that was resent
 * after a reconnect, and its acknowledgement says that all input before it was taken.
 */
const COST_MIN_BYTES = 256;

interface Item {
  bytes: Uint8Array;
  /** What it counts in addition to its bytes. */
  readonly cost: number;
  readonly isAnswer: boolean;
  readonly taken: () => void;
}

export class PtyInput {
  readonly #fd: number;
  /** Called when a key that may mean a signal waits behind input that the program does not read. */
  readonly #stuck: (key: number) => void;
  readonly #queue: Item[] = [];
  #retryMs = RETRY_FIRST_MS;
  #timer: NodeJS.Timeout | undefined;
  #signalKey: number | undefined;
  #answerBytes = 0;
  /** Typed bytes that were not taken yet. Replies to queries are counted apart, so that they cannot block typing. */
  backlogBytes = 0;

  constructor(fd: number, stuck: (key: number) => void = () => {}) {
    this.#fd = fd;
    this.#stuck = stuck;
  }

  /** What the terminal has not accepted yet. */
  get waiting(): WaitingInput[] {
    return this.#queue.map(({ bytes, isAnswer }) => ({ bytes, isAnswer }));
  }

  write(bytes: Uint8Array, taken: () => void): void {
    this.#put(bytes, false, taken);
    if (this.#queue.length > 0) this.#noteSignal(signalKeyIn(bytes));
  }

  /** The terminal's reply to a query by the program. Dropped if the program queries more than it reads. */
  answer(bytes: Uint8Array): void {
    if (this.#answerBytes + bytes.length > ANSWER_BACKLOG_MAX_BYTES) return;
    this.#put(bytes, true, () => {});
  }

  /** Nobody will read it any more; `taken` is not called for the dropped input. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue.length = 0;
    this.#answerBytes = 0;
    this.#signalKey = undefined;
    this.backlogBytes = 0;
  }

  /** Discards waiting input, as a terminal does on an interrupt; it counts as taken. */
  flush(): void {
    const flushed = this.#queue.slice();
    this.drop();
    for (const { taken } of flushed) taken();
  }

  #put(bytes: Uint8Array, isAnswer: boolean, taken: () => void): void {
    const written = this.#queue.length === 0 ? writeNow(this.#fd, bytes) : 0;
    if (this.#queue.length === 0 && written === bytes.length) {
      taken();
      return;
    }
    // A copy, because the caller's array may be part of a frame that is reused.
    const waiting = new Uint8Array(bytes.subarray(written));
    // Answers have a small limit of their own, in bytes.
    const cost = isAnswer ? 0 : Math.max(0, COST_MIN_BYTES - waiting.length);
    this.#queue.push({ bytes: waiting, cost, isAnswer, taken });
    this.#count(isAnswer, waiting.length + cost);
    this.#timer ??= setTimeout(() => this.#retry(), this.#retryMs);
  }

  #count(isAnswer: boolean, bytes: number): void {
    if (isAnswer) this.#answerBytes += bytes;
    else this.backlogBytes += bytes;
  }

  #noteSignal(key: number | undefined): void {
    this.#signalKey = key ?? this.#signalKey;
    if (this.#signalKey === undefined || this.#retryMs < STUCK_RETRY_MS) return;
    const waiting = this.#signalKey;
    this.#signalKey = undefined;
    this.#stuck(waiting);
  }

  #retry(): void {
    this.#timer = undefined;
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LAST_MS);
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const written = writeNow(this.#fd, next.bytes);
      if (written > 0) this.#retryMs = RETRY_FIRST_MS;
      this.#count(next.isAnswer, -written);
      next.bytes = next.bytes.subarray(written);
      if (next.bytes.length > 0) {
        this.#timer = setTimeout(() => this.#retry(), this.#retryMs);
        return this.#noteSignal(undefined);
      }
      this.#queue.shift();
      this.#count(next.isAnswer, -next.cost);
      next.taken();
    }
    this.#signalKey = undefined;
  }
}

/** How many of `bytes` the terminal accepts. Fewer than all means that it is full: EAGAIN or a partial write. */
function writeNow(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0;
  }
}
