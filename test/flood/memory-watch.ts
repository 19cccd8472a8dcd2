/** How the memory of processes develops while something goes on. */
import { residentBytes } from '../../bench/measuring/process-cost.ts';

const LOOK_EVERY_MS = 500;
const MIB = 2 ** 20;

export class MemoryWatch implements Disposable {
  readonly #pids: readonly number[];
  readonly #looks: { readonly at: number; readonly bytes: readonly number[] }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pids: readonly number[]) {
    this.#pids = pids;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Mebibytes it grew by, from the average of the second quarter of the time to that of the last. */
  growthMib(index: number): number {
    const quarter = Math.floor(this.#looks.length / 4);
    return (this.#mean(index, -quarter, undefined) - this.#mean(index, quarter, 2 * quarter)) / MIB;
  }

  /** The average of the last quarter. */
  lateMib(index: number): number {
    return this.#mean(index, -Math.floor(this.#looks.length / 4), undefined) / MIB;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#looks.push({ at: performance.now(), bytes: this.#pids.map(residentBytes) });
  }

  #mean(index: number, from: number, to: number | undefined): number {
    const part = this.#looks.slice(from, to).map(({ bytes }) => bytes[index] ?? 0);
    return part.reduce((sum, bytes) => sum + bytes, 0) / part.length;
  }
}
