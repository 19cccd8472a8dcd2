/**
 * What a screen was given and has not shown yet, counted: a screen that is slow, or that nobody reads, keeps all of it.
 * Everything costs its bytes and a little more, because a million empty things take memory too.
 */
import type { Size } from '../protocol/frame.ts';
import { QUEUED_ITEM_BYTES } from '../protocol/limits.ts';
import type { Beginning, Screen } from './screen.ts';

const NOTHING = new Uint8Array(0);

/** Resets and sizes in a row before the screen is asked to say when it has come so far. */
const UNMARKED_MAX = 64;

export class ScreenQueue {
  readonly #screen: Screen;
  readonly #shown: () => void;
  #cost = 0;
  /** Resets and sizes since the last write. A screen does not say when it has done those; the next write does. */
  #unmarked = 0;
  /** What is written next is a picture, whatever it is. */
  #isPictureDue = false;
  #picture: Promise<void> | undefined;

  /** `shown` runs whenever the screen has shown something. */
  constructor(screen: Screen, shown: () => void) {
    this.#screen = screen;
    this.#shown = shown;
  }

  /** Bytes of output that are not shown, and what goes with them. Pictures are not among them: there is one at most. */
  get cost(): number {
    return this.#cost;
  }

  /** Until the last picture is shown; undefined when it is. Whoever has another one waits for this. */
  get picture(): Promise<void> | undefined {
    return this.#picture;
  }

  output(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#write(bytes, bytes.length, shown);
  }

  /** A whole screen, which has limits of its own. [RL21] */
  paint(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#picture = promise;
    this.#write(bytes, 0, () => {
      this.#picture = undefined;
      resolve();
      shown();
    });
  }

  reset(beginning: Beginning): void {
    this.#isPictureDue = beginning.kind === 'snapshot';
    this.#screen.reset(beginning);
    this.#count();
  }

  resize(size: Size): void {
    this.#screen.resize(size);
    this.#count();
    if (this.#unmarked >= UNMARKED_MAX && !this.#isPictureDue) this.output(NOTHING, () => {});
  }

  painted(): Promise<void> | undefined {
    return this.#screen.painted?.();
  }

  #count(): void {
    this.#unmarked += 1;
    this.#cost += QUEUED_ITEM_BYTES;
  }

  #write(bytes: Uint8Array<ArrayBuffer>, counted: number, shown: () => void): void {
    const released = counted + (this.#unmarked + 1) * QUEUED_ITEM_BYTES;
    this.#cost += counted + QUEUED_ITEM_BYTES;
    this.#unmarked = 0;
    this.#isPictureDue = false;
    this.#screen.write(bytes, () => {
      this.#cost -= released;
      shown();
      this.#shown();
    });
  }
}
