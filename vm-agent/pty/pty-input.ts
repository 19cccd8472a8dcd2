/**
 * What waits to be typed into a terminal. Written at once when the terminal has room, which costs half the
 * latency of the thread pool; otherwise tried again ever more slowly, as nothing tells when a terminal has
 * room again.
 */
import { writeSync } from 'node:fs';
import { ANSWER_BACKLOG_MAX_BYTES } from '../../protocol/limits.ts';
import { signalKeyIn } from './signal-keys.ts';

/** A terminal that is full is tried again this soon: a program that reads empties it within a millisecond. */
const RETRY_FIRST_MS = 1;
/** … and this late at most: hundreds of programs that never read cost nothing, one that wakes up waits little. */
const RETRY_LAST_MS = 100;

/** Nothing was taken for about so long: the program does not read. */
const STUCK_RETRY_MS = 64;

/**
 * A write of no bytes waits its turn: it stands for input that was sent again after a reconnect, and its answer says that
 * what came before was taken. It counts for so much, about what it takes, so that they do not gather without end.
 */
const EMPTY_COST_BYTES = 256;

interface Item {
  bytes: Uint8Array;
  /** What it counts for beside its bytes. */
  readonly cost: number;
  readonly isAnswer: boolean;
  readonly taken: () => void;
}

export class PtyInput {
  readonly #fd: number;
  /** A key that may stand for a signal waits behind what the program does not read. */
  readonly #stuck: (key: number) => void;
  readonly #queue: Item[] = [];
  #retryMs = RETRY_FIRST_MS;
  #timer: NodeJS.Timeout | undefined;
  #signalKey: number | undefined;
  #answerBytes = 0;
  /** Typed, and not taken yet. Answers are counted apart: what nobody typed keeps nobody from typing. */
  backlogBytes = 0;

  constructor(fd: number, stuck: (key: number) => void = () => {}) {
    this.#fd = fd;
    this.#stuck = stuck;
  }

  write(bytes: Uint8Array, taken: () => void): void {
    this.#put(bytes, false, taken);
    if (this.#queue.length > 0) this.#noteSignal(signalKeyIn(bytes));
  }

  /** What the terminal says to a program that asked. Dropped when it asks more than it reads. */
  answer(bytes: Uint8Array): void {
    if (this.#answerBytes + bytes.length > ANSWER_BACKLOG_MAX_BYTES) return;
    this.#put(bytes, true, () => {});
  }

  /** Nobody will read it any more; `taken` is not called for what was not. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue.length = 0;
    this.#answerBytes = 0;
    this.#signalKey = undefined;
    this.backlogBytes = 0;
  }

  /** What waits is thrown away, as by a terminal that is interrupted; it counts as taken. */
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
    // A copy: the caller's array may be part of a frame that is reused.
    const cost = bytes.length === 0 ? EMPTY_COST_BYTES : 0;
    this.#queue.push({ bytes: new Uint8Array(bytes.subarray(written)), cost, isAnswer, taken });
    this.#count(isAnswer, bytes.length - written + cost);
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

/** How many of `bytes` the terminal takes. Fewer than all means that it is full: EAGAIN, or a partial write. */
function writeNow(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0;
  }
}
