/**
 * A program in a terminal for the keeper's model. It knows everything that was printed, typed and resized, so that
 * others can be compared with it.
 *
 * Byte n of its output is always the same, and so is byte n of what one instance types: a byte that is lost, doubled or
 * moved shows.
 */
import type { Size } from '../../../protocol/frame.ts';
import type { Exit, OwnedPty, PtyEvents, SavedPty, SpawnSpec } from '../../../vm-agent/pty/pty.ts';

/** A prime, so that no power of two is a multiple of it. */
const PERIOD = 251;
const PATTERN = Buffer.from(Array.from({ length: PERIOD + 2 ** 18 }, (_, index) => index % PERIOD));

/** The output from `offset` on. At most 256 KiB. */
export function outputAt(offset: number, length: number): Buffer {
  const from = offset % PERIOD;
  return PATTERN.subarray(from, from + length);
}

export const INSTANCES = ['a', 'n'] as const;
const LETTERS = 13;

/** What an instance types: `a` has the first half of the alphabet, `n` the second. */
export function inputAt(instance: string, offset: number, length: number): Buffer {
  const first = instance.charCodeAt(0);
  return Buffer.from(Array.from({ length }, (_, index) => first + ((offset + index) % LETTERS)));
}

interface Write {
  readonly instance: string;
  bytes: Buffer;
  /** How much of it the terminal has taken before. */
  part: number;
  readonly taken: () => void;
}

function instanceOf(bytes: Buffer): string {
  return bytes.toString('latin1') < 'n' ? 'a' : 'n';
}

export class ModelPty implements OwnedPty {
  /** Also the descriptor of its terminal. */
  readonly pid: number;
  readonly bornAt = undefined;
  readonly starting = null;
  #events: PtyEvents;
  /** What a keeper holds of its input. */
  #queue: Write[] = [];
  /** How much the terminal has taken of the first write that the next keeper makes. */
  #partBefore = 0;
  /** How much was printed, and how much of it was read from the terminal. */
  printed = 0;
  read = 0;
  /** At the offsets of what was read. */
  readonly sizes: { offset: number; size: Size }[];
  /** What the program has read, by instance. */
  readonly #typedBy = new Map<string, string>();
  /** What it has taken in whole writes, by instance: only those count as taken. */
  readonly takenOf = new Map<string, number>();
  /** How much was written for it, by instance. */
  readonly written = new Map<string, number>();
  isReading = true;
  isPaused = false;
  exit: Exit | null = null;
  #isExitTold = false;
  #readMax = 64 * 1024;

  constructor({ size }: SpawnSpec, events: PtyEvents, pid: number) {
    this.pid = pid;
    this.#events = events;
    this.sizes = [{ offset: 0, size }];
  }

  get size(): Size {
    return (this.sizes.at(-1) as { size: Size }).size;
  }

  sizeAt(offset: number): Size | undefined {
    return this.sizes.findLast((change) => change.offset <= offset)?.size;
  }

  /** Counted as in pty-input.ts. */
  get backlogBytes(): number {
    return this.#queue.reduce((sum, { bytes }) => sum + Math.max(256, bytes.length), 0);
  }

  /** What the program has read of an instance's input. */
  readOf(instance: string): string {
    return this.#typedBy.get(instance) ?? '';
  }

  prints(count: number): void {
    if (this.exit !== null) return;
    this.printed += count;
    this.deliver();
  }

  /** The event loop reads the terminal, as long as it may. */
  deliver(): void {
    while (!this.isPaused && this.read < this.printed) {
      const count = Math.min(this.printed - this.read, this.#readMax);
      const bytes = Buffer.from(outputAt(this.read, count));
      this.read += count;
      this.#events.output(bytes, this.read === this.printed);
      bytes.fill(0);
    }
    if (this.exit === null || this.isPaused || this.#isExitTold) return;
    this.#isExitTold = true;
    this.#events.exited(this.exit);
  }

  exits(code: number): void {
    if (this.exit !== null) return;
    this.exit = { code, signal: null };
    this.#queue.length = 0;
    this.deliver();
  }

  readsInput(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { instance, bytes, part } = next;
      this.#reads(instance, bytes);
      this.takenOf.set(instance, (this.takenOf.get(instance) ?? 0) + part + bytes.length);
      next.taken();
    }
  }

  /** The terminal takes less than the first write that waits. */
  takesPart(count: number): void {
    const [first] = this.#queue;
    if (first === undefined || this.isReading || count >= first.bytes.length) return;
    this.#reads(first.instance, first.bytes.subarray(0, count));
    first.bytes = first.bytes.subarray(count);
    first.part += count;
  }

  write(bytes: Uint8Array, taken: () => void): void {
    const copy = Buffer.from(bytes);
    // One write never mixes instances.
    const instance = instanceOf(copy);
    if (copy.length > 0) this.written.set(instance, (this.written.get(instance) ?? 0) + copy.length);
    if (this.exit !== null) return;
    this.#queue.push({ instance, bytes: copy, part: this.#partBefore, taken });
    this.#partBefore = 0;
    if (this.isReading) this.readsInput();
  }

  save(): SavedPty {
    const { pid } = this;
    const terminal = this.#isExitTold ? null : { fd: pid, path: `/dev/pts/${pid}` };
    const waiting = this.#queue.map(({ bytes }) => ({ bytes, isAnswer: false }));
    return { pid, bornAt: undefined, terminal, ended: this.#isExitTold ? null : this.exit, waiting };
  }

  /** Another keeper has its terminal now. What the one before held in memory is gone. */
  continue(events: PtyEvents): this {
    this.#events = events;
    // A write of nothing says nothing about whose it is.
    for (const { instance, bytes } of this.#queue)
      if (bytes.length > 0) this.written.set(instance, (this.written.get(instance) ?? 0) - bytes.length);
    this.#partBefore = this.#queue[0]?.part ?? 0;
    this.#queue = [];
    this.isPaused = false;
    return this;
  }

  #reads(instance: string, bytes: Buffer): void {
    this.#typedBy.set(instance, (this.#typedBy.get(instance) ?? '') + bytes.toString('latin1'));
  }

  resize(size: Size): void {
    if (this.sizes.at(-1)?.offset === this.read) this.sizes.pop();
    this.sizes.push({ offset: this.read, size });
    this.#events.resized?.(size);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  readAtMost(bytes: number): void {
    this.#readMax = bytes;
  }

  answer(): void {}
  prefer(): void {}
  promise(): void {}
  forget(): void {}
  cwd = () => null;
  foreground = () => null;
  signal = () => false;
}
