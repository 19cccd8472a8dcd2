/** Records what was typed into one session, and checks that the program received exactly that. */
import type { CheckedLine } from './checked-line.ts';
import { TypedDigest } from './checked-line.ts';

export class Typist {
  readonly #type: (text: string) => boolean | Promise<boolean>;
  readonly #digest = new TypedDigest();
  /** What the program must have received at the end of each typed line. */
  readonly #expected = new Map<number, string>();
  readonly violations: string[] = [];
  #heard = 0;
  #waiting: (() => void)[] = [];

  constructor(type: (text: string) => boolean | Promise<boolean>) {
    this.#type = type;
  }

  get typed(): number {
    return this.#digest.count;
  }

  /** Typed bytes that the program has not confirmed. */
  get unheard(): number {
    return this.#digest.count - this.#heard;
  }

  /** Types a line; it counts only if it was taken. */
  async line(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(`${text}\r`);
    if (!(await this.#type(`${text}\r`))) return;
    this.#digest.add(bytes);
    this.#expected.set(this.#digest.count, this.#digest.what);
  }

  /** A line of the program's was shown. */
  shown(line: CheckedLine): void {
    if (line.kind !== 'heard') return;
    const count = Number(line.what.split(':')[0]);
    if (count <= this.#heard) return;
    if (this.#expected.get(count) !== line.what) {
      this.violations.push(`after ${this.#heard} bytes the program heard something else: ${line.what}`);
    }
    this.#heard = count;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves when the program has confirmed everything typed so far. */
  async isHeard(): Promise<void> {
    const wanted = this.#digest.count;
    while (this.#heard < wanted) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
