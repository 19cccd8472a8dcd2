/**
 * Counts what a screen was given and has not shown yet, because a slow screen, or one that nobody reads, keeps all of
 * it in memory. Every item costs its bytes and a fixed amount, because a million empty items use memory too.
 */
import type { Size } from '../protocol/frame.ts';
import { QUEUED_ITEM_BYTES } from '../protocol/limits.ts';
import { deferred } from './requests/deferred.ts';
import type { Beginning, Screen } from './screen.ts';

const NOTHING = new Uint8Array(0);

/** After this many resets and resizes in a row, an empty write asks the screen to report its progress. */
const UNMARKED_MAX = 64;

export class ScreenQueue {
  readonly #screen: Screen;
  readonly #shown: () => void;
  #cost = 0;
  /** Resets and resizes since the last write. A screen does not report when they are done; the next write does. */
  #unmarked = 0;
  /** The next write must be a snapshot. */
  #isPictureDue = false;
  #picture: Promise<void> | undefined;
  /** How the screen measures text; undefined until it was told. */
  #widths: string | undefined;
  /** What proves marks; undefined until the screen was told. */
  #nonce: string | null | undefined;

  /** `shown` is called whenever the screen has shown something. */
  constructor(screen: Screen, shown: () => void) {
    this.#screen = screen;
    this.#shown = shown;
  }

  /** Bytes of output not shown yet, plus the cost of each item. Snapshots are excluded: there is at most one. */
  get cost(): number {
    return this.#cost;
  }

  /** Resolves when the last snapshot is shown; undefined when it is. The next snapshot must wait for it. */
  get picture(): Promise<void> | undefined {
    return this.#picture;
  }

  output(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#write(bytes, bytes.length, shown);
  }

  /** Shows a whole screen, which has its own size limit. [RL21] */
  paint(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const { promise, resolve } = deferred<void>();
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

  replayBegins(from: number, to: number, widths: string): void {
    this.#screen.replayBegins?.(from, to);
    this.#measure(widths);
  }

  /** A screen is told only once, before anything of the session is shown on it. */
  #measure(widths: string): void {
    if (this.#screen.measure === undefined || widths === this.#widths) return;
    this.#widths = widths;
    this.#screen.measure(widths);
    this.#count();
  }

  /** The same, for the nonce of marks. */
  expectMarks(nonce: string | null): void {
    if (this.#screen.expectMarks === undefined || nonce === this.#nonce) return;
    this.#nonce = nonce;
    this.#screen.expectMarks(nonce);
    this.#count();
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
