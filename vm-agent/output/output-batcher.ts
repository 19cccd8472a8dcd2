/**
 * Joins a program's output into few, large frames without delaying what a person waits for. Rule OU12.
 *
 * If a read leaves the terminal empty, it ends with an echo, a prompt or the end of a burst: that is sent at once. If
 * more is waiting, the bytes that were read wait for it, at most 4 ms. Of the policies measured, this one had the
 * throughput of a plain timer and the echo latency of no timer at all.
 *
 * A reader that is faster than the program finds the terminal empty all the time, even during bulk output. So early
 * frames are limited too: one screenful at once, then one frame per 3 ms. Somebody who types during bulk output waits
 * for the reaction, above all to a Ctrl-C. So input allows some early frames even if the output has used up the
 * allowance.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';

/** Far below what a person notices, long enough for bulk output to fill a frame. */
export const BATCH_MAX_MS = 4;

/** How many frames may be sent early in a row: more than a key's echo or a full-screen redraw takes. */
export const EARLY_MAX_FRAMES = 32;

/** How often one more early frame is allowed: programs type this fast, and the echoes must not wait. */
export const EARLY_EVERY_MS = 3;

/**
 * Early frames that are always allowed after input: the rest of the bulk output, the echo, the next line, the prompt.
 */
export const ANSWER_FRAMES = 8;

const NOTHING = new Uint8Array(0);

export class OutputBatcher {
  readonly #clock: Clock;
  readonly #emit: (bytes: Uint8Array) => void;
  /** Allocated on first use: most sessions never print a full read. */
  #buffer: Uint8Array | undefined;
  #filled = 0;
  /** The current maximum frame size; slow paths get small frames. */
  frameMaxBytes = PAYLOAD_MAX_BYTES;
  #cancel: Cancel | undefined;
  /** How many frames may be sent early; one more is allowed every EARLY_EVERY_MS. */
  #turns = EARLY_MAX_FRAMES;
  #turnsAt: number;
  readonly #timeIsUp = (): void => {
    this.#takeTurn();
    this.flush();
  };

  /** `emit` gets at most PAYLOAD_MAX_BYTES, in a view that is valid only during the call. It must not call back. */
  constructor(clock: Clock, emit: (bytes: Uint8Array) => void) {
    this.#clock = clock;
    this.#emit = emit;
    this.#turnsAt = clock.now();
  }

  /** Bytes that wait to be emitted. */
  get pendingBytes(): number {
    return this.#filled;
  }

  /** Something was typed. */
  expectAnswer(): void {
    this.#turns = Math.max(this.#turns, ANSWER_FRAMES);
  }

  /** Takes bytes read from the terminal; `isAll`: the terminal is empty now. */
  write(bytes: Uint8Array, isAll: boolean): void {
    let rest = bytes;
    while (this.#filled + rest.length >= this.frameMaxBytes) {
      const room = Math.max(0, this.frameMaxBytes - this.#filled);
      this.#emitWith(rest.subarray(0, room));
      rest = rest.subarray(room);
    }
    if (rest.length === 0) return;
    if (isAll && this.#takeTurn()) this.#emitWith(rest);
    else this.#keep(rest);
  }

  /** Emits the waiting bytes now, because something that must come after them is about to be sent. */
  flush(): void {
    if (this.#filled > 0) this.#emitWith(NOTHING);
  }

  /** Whether a frame may be sent early. A frame whose time is up is sent anyway, and counts too. */
  #takeTurn(): boolean {
    const now = this.#clock.now();
    this.#turns = Math.min(EARLY_MAX_FRAMES, this.#turns + (now - this.#turnsAt) / EARLY_EVERY_MS);
    this.#turnsAt = now;
    const isFree = this.#turns >= 1;
    this.#turns = Math.max(0, this.#turns - 1);
    return isFree;
  }

  /** Emits the waiting bytes and `last` as one frame. If nothing waits, `last` is not copied. */
  #emitWith(last: Uint8Array): void {
    if (this.#filled === 0) {
      this.#emit(last);
      return;
    }
    const bytes = this.#append(last);
    this.#cancel?.();
    this.#cancel = undefined;
    this.#filled = 0;
    this.#emit(bytes);
  }

  /** The delay counts from the oldest byte, so a steady stream cannot postpone it. */
  #keep(bytes: Uint8Array): void {
    this.#append(bytes);
    this.#cancel ??= this.#clock.after(BATCH_MAX_MS, this.#timeIsUp);
  }

  #append(bytes: Uint8Array): Uint8Array {
    this.#buffer ??= new Uint8Array(PAYLOAD_MAX_BYTES);
    this.#buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
    return this.#buffer.subarray(0, this.#filled);
  }
}
