/** Samples the memory of processes during a run. */
import { residentBytes } from '../../bench/measuring/process-cost.ts';

const LOOK_EVERY_MS = 500;
const MIB = 2 ** 20;

export class MemoryWatch implements Disposable {
  readonly #pids: readonly number[];
  readonly #looks: { readonly bytes: readonly number[] }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pids: readonly number[]) {
    this.#pids = pids;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Mebibytes by which the most it had in the second half exceeds the most it had in the first: collections come in steps. */
  growthMib(index: number): number {
    const half = Math.floor(this.#looks.length / 2);
    return this.#peak(index, half, undefined) - this.#peak(index, 0, half);
  }

  /** The most it had. */
  peakMib(index: number): number {
    return this.#peak(index, 0, undefined);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#looks.push({ bytes: this.#pids.map(residentBytes) });
  }

  #peak(index: number, from: number, to: number | undefined): number {
    return Math.max(...this.#looks.slice(from, to).map(({ bytes }) => bytes[index] ?? 0)) / MIB;
  }
}
