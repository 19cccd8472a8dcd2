/**
 * One command that was typed into a shell, as its output tells: where it begins, where it ends, and how. It reads the
 * output from the moment the command was typed. Pure.
 *
 *   typed ── C ──► running ── D, a prompt, the shell's end ──► ended
 *     └───────────────── a prompt, the shell's end ──────────────▲
 *
 * Only marks with the run's nonce count: that of our script in the shell, or the run's own around the command. A prompt
 * without a C before it means that the shell found nothing to run in the line.
 */
import { RUN_HEAD_MAX_BYTES } from '../../protocol/limits.ts';
import { type FoundMark, MarkScanner } from '../commands/mark-scanner.ts';

export interface TypedRunOptions {
  /** What marks must have to count. */
  readonly nonce: string;
  /** Where the output was when the command was typed. */
  readonly from: number;
  /** Whether the shell also marks its prompts with this nonce. */
  readonly isMarked: boolean;
  /** What is known already, if another process has read the output so far. */
  readonly place: RunPlace;
}

/** Where the output of the command is, as far as it has begun. */
export interface RunPlace {
  /** Null until the shell has said that it began. */
  readonly outputFrom: number | null;
  /** Null until it has ended. */
  readonly outputTo: number | null;
  /** The end of the mark that said so: what ends from here on is another command. Absent if no mark did. */
  readonly endsAt?: number | undefined;
  readonly exitCode: number | null;
  /** The command's number, as the shell's mark tells it. */
  readonly number: number | null;
}

/** A command that has just been typed. */
export const TYPED: RunPlace = { outputFrom: null, outputTo: null, exitCode: null, number: null };

export class Run {
  readonly #options: TypedRunOptions;
  readonly #scanner: MarkScanner;
  readonly #nonce: Buffer;
  #place: RunPlace;
  /** What was printed first. */
  #head: Buffer = Buffer.alloc(0);

  constructor(options: TypedRunOptions) {
    this.#options = options;
    this.#place = options.place;
    this.#nonce = Buffer.from(options.nonce);
    this.#scanner = new MarkScanner(
      (found) => this.#see(found),
      (data) => data.includes(this.#nonce),
    );
  }

  get place(): RunPlace {
    return this.#place;
  }

  get hasBegun(): boolean {
    return this.#place.outputFrom !== null;
  }

  get hasEnded(): boolean {
    return this.#place.outputTo !== null;
  }

  /** The first bytes that the command printed. */
  get head(): Uint8Array {
    return this.#head;
  }

  /** `bytes` were printed at `offset`; they are valid during this call only. */
  printed(offset: number, bytes: Uint8Array): void {
    if (this.hasEnded) return;
    const skipped = Math.max(0, this.#options.from - offset);
    if (skipped >= bytes.length) return;
    this.#scanner.scan(offset + skipped, skipped === 0 ? bytes : bytes.subarray(skipped));
    this.#keepHead(offset, bytes);
  }

  /** The shell has ended, with this code and its output at `end`. */
  exited(exitCode: number | null, end: number): void {
    if (!this.hasEnded) this.#end(exitCode, end);
  }

  #see({ mark, from, to }: FoundMark): void {
    if (mark.nonce !== this.#options.nonce || this.hasEnded) return;
    if (mark.kind === 'output' && !this.hasBegun) {
      this.#place = { ...this.#place, outputFrom: to, number: mark.number };
    } else if (mark.kind === 'end' && this.hasBegun && mark.number === this.#place.number) {
      this.#end(mark.exitCode, from, to);
    } else if (mark.kind === 'prompt' && this.#options.isMarked) this.#end(null, from, to);
  }

  #end(exitCode: number | null, outputTo: number, endsAt?: number): void {
    const outputFrom = Math.min(this.#place.outputFrom ?? outputTo, outputTo);
    const mark = endsAt === undefined ? {} : { endsAt };
    this.#place = { ...this.#place, outputFrom, outputTo, ...mark, exitCode };
    this.#head = this.#head.subarray(0, outputTo - outputFrom);
  }

  #keepHead(offset: number, bytes: Uint8Array): void {
    const { outputFrom } = this.#place;
    if (outputFrom === null || this.#head.length >= RUN_HEAD_MAX_BYTES) return;
    const next = outputFrom + this.#head.length;
    // Another process has read what is between: this one does not know how the output begins.
    if (offset > next) return;
    const start = Math.max(0, next - offset);
    const end = Math.min(bytes.length, outputFrom + RUN_HEAD_MAX_BYTES - offset, this.#endIn(offset));
    if (start < end) this.#head = Buffer.concat([this.#head, bytes.subarray(start, end)]);
  }

  /** How much of a piece at `offset` belongs to the command. */
  #endIn(offset: number): number {
    const { outputTo } = this.#place;
    return outputTo === null ? Number.POSITIVE_INFINITY : outputTo - offset;
  }
}
