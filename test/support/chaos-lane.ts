/** One direction of a proxied connection: bytes wait in a queue until the simulated link lets them through. */
import type { Socket } from 'node:net';

export interface LinkShape {
  readonly latencyMs?: number;
  readonly bytesPerSecond?: number;
  /** Sends every byte as a separate segment. */
  readonly singleBytes?: boolean;
}

/** How much a link queues before the sender is paused, like the buffers of a router. */
const QUEUE_MAX_BYTES = 256 * 1024;
/** How many single bytes are written before yielding. */
const BYTES_PER_TURN = 64;
const TURN_MS = 10;

export class Lane {
  readonly #from: Socket;
  readonly #to: Socket;
  #shape: LinkShape;
  #queue: { bytes: Buffer; dueAt: number }[] = [];
  #queuedBytes = 0;
  #isHeld = false;
  #isStopped = false;
  #hasEnded = false;
  #turn: NodeJS.Timeout | NodeJS.Immediate | undefined;

  constructor(from: Socket, to: Socket, shape: LinkShape) {
    this.#from = from;
    this.#to = to;
    this.#shape = shape;
    from.on('data', (bytes: Buffer) => this.#take(bytes));
    from.on('end', () => {
      this.#hasEnded = true;
      this.#pump();
    });
    to.on('drain', () => this.#pump());
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#pump();
  }

  shape(shape: LinkShape): void {
    this.#shape = shape;
    this.#pump();
  }

  /** Nothing passes any more; further bytes are dropped. */
  stop(): void {
    this.#isStopped = true;
    this.#queue = [];
    if (this.#turn !== undefined) {
      clearTimeout(this.#turn as NodeJS.Timeout);
      clearImmediate(this.#turn as NodeJS.Immediate);
    }
  }

  #take(bytes: Buffer): void {
    if (this.#isStopped) return;
    this.#queue.push({ bytes, dueAt: performance.now() + (this.#shape.latencyMs ?? 0) });
    this.#queuedBytes += bytes.length;
    if (this.#queuedBytes > QUEUE_MAX_BYTES) this.#from.pause();
    this.#pump();
  }

  #pump(): void {
    if (this.#isStopped || this.#isHeld || this.#turn !== undefined) return;
    const rate = this.#shape.bytesPerSecond ?? Number.POSITIVE_INFINITY;
    let budget = this.#budget(rate);
    let written = 0;
    for (let [head] = this.#queue; head !== undefined && budget > 0; [head] = this.#queue) {
      const wait = head.dueAt - performance.now();
      if (wait > 0) return this.#again(wait);
      if (this.#to.writableNeedDrain) return;
      const piece = head.bytes.subarray(0, this.#shape.singleBytes ? 1 : budget);
      head.bytes = head.bytes.subarray(piece.length);
      if (head.bytes.length === 0) this.#queue.shift();
      this.#queuedBytes -= piece.length;
      budget -= piece.length;
      written += piece.length;
      this.#to.write(piece);
    }
    if (this.#queuedBytes <= QUEUE_MAX_BYTES / 2) this.#from.resume();
    // A turn that wrote anything takes its full time even if nothing waits, or small pieces would pass at any rate.
    const isSpent = written > 0 && Number.isFinite(rate);
    if (this.#queue.length > 0 || isSpent) this.#again(this.#shape.singleBytes && !isSpent ? 0 : TURN_MS);
    else if (this.#hasEnded && this.#to.writable) this.#to.end();
  }

  #budget(rate: number): number {
    const perTurn = Math.max(1, (rate * TURN_MS) / 1000);
    return this.#shape.singleBytes ? Math.min(BYTES_PER_TURN, perTurn) : perTurn;
  }

  #again(ms: number): void {
    const run = () => {
      this.#turn = undefined;
      this.#pump();
    };
    this.#turn = ms === 0 ? setImmediate(run) : setTimeout(run, ms);
  }
}
