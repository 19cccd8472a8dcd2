/**
 * Joins what a program prints into few, large frames without delaying what a person waits for. Rule OU12.
 *
 * A terminal that has been read empty has shown an echo, a prompt, the end of a burst: that goes out at once. Where
 * more is there already, what was read waits for it, for 4 ms at most. Of the policies measured this one had the
 * throughput of a plain timer and the echo of no timer at all.
 *
 * A reader that is faster than the program reads it empty all the time, also during a flood. So what goes out before its
 * time is bounded too: a person's screenful at once, then no more than one frame in 3 ms. Who types into a flood waits
 * for what answers them, a Ctrl-C above all: that may go out before its time whatever the flood has used up.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';

/** Far below what a person notices, long enough for a flood to fill a frame. */
export const BATCH_MAX_MS = 4;

/** Frames that may go out before their time in a row: more than a key's echo or a full-screen redraw takes. */
export const EARLY_MAX_FRAMES = 32;

/** How often one more of them may: keys come that quickly from a program that types, and their echoes are not to wait. */
export const EARLY_EVERY_MS = 3;

/** … and how many at least after something was typed: the rest of a flood, the echo, the next line, the prompt. */
export const ANSWER_FRAMES = 8;

const NOTHING = new Uint8Array(0);

export class OutputBatcher {
  readonly #clock: Clock;
  readonly #emit: (bytes: Uint8Array) => void;
  /** Made when first needed: most sessions never print a full read. */
  #buffer: Uint8Array | undefined;
  #filled = 0;
  /** The largest frame now: a slow path takes small ones. */
  frameMaxBytes = PAYLOAD_MAX_BYTES;
  #cancel: Cancel | undefined;
  /** Frames that may go out before they are full: one more with every EARLY_EVERY_MS. */
  #turns = EARLY_MAX_FRAMES;
  #turnsAt: number;
  readonly #timeIsUp = (): void => {
    this.#takeTurn();
    this.flush();
  };

  /** `emit` receives at most PAYLOAD_MAX_BYTES, in a view valid during the call; it does not call back. */
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

  /** Takes what was read of the terminal; `isAll` when it is empty now. */
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

  /** Emits what waits, now: something that must come after it is about to be sent. */
  flush(): void {
    if (this.#filled > 0) this.#emitWith(NOTHING);
  }

  /** Whether a frame may go out before its time; one whose time is up goes anyway, and counts as well. */
  #takeTurn(): boolean {
    const now = this.#clock.now();
    this.#turns = Math.min(EARLY_MAX_FRAMES, this.#turns + (now - this.#turnsAt) / EARLY_EVERY_MS);
    this.#turnsAt = now;
    const isFree = this.#turns >= 1;
    this.#turns = Math.max(0, this.#turns - 1);
    return isFree;
  }

  /** Emits what waits and `last` as one; without anything waiting, `last` needs no copy. */
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

  /** The wait counts from the oldest byte, so that a steady stream cannot push it ahead of itself. */
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
