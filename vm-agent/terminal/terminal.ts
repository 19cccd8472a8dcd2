/**
 * One program in its terminal, with everything that has to last as long as the program: the ring of its output, the
 * sizes at which that was printed, and the ledger of its input. It knows no clients, screens or links; they read the
 * ring and listen.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import type { Exit, Pty, SpawnPty, SpawnSpec } from '../pty/pty.ts';
import type { LedgerEntry } from './input-ledger.ts';
import { RingBuffer } from './ring-buffer.ts';
import { SessionInput } from './session-input.ts';
import { SizeHistory } from './size-history.ts';

export interface TerminalEvents {
  /**
   * `bytes` were printed at `offset` and are in the ring. They are valid during this call only. `isAll`: the terminal
   * is empty now; otherwise more is waiting.
   */
  printed(offset: number, bytes: Uint8Array, isAll: boolean): void;
  /** The terminal has another size from `offset` on. */
  resized(offset: number, size: Size): void;
  /** The program has ended, and everything it printed was reported. The last event. */
  exited(exit: Exit): void;
}

export interface TerminalOptions {
  readonly spawn: SpawnPty;
  readonly clock: Clock;
  /** How much output the ring holds. */
  readonly historyBytes: number;
  /** Output from before the program was started: the old screen of a revived session. */
  readonly prelude?: Uint8Array;
  /** The program was started by an earlier agent process, and `spawn` returns it. */
  readonly adopted?: AdoptedTerminal | undefined;
}

export interface AdoptedTerminal {
  /** The offset of the first byte that follows. */
  readonly start: number;
  readonly ledger: readonly LedgerEntry[];
  /** How much more the ring holds until `settle`. */
  readonly extraBytes?: number;
}

export class Terminal {
  readonly ring: Pick<RingBuffer, 'start' | 'end' | 'length' | 'read'>;
  readonly sizes: Pick<SizeHistory, 'current' | 'at' | 'since'>;
  readonly input: SessionInput;
  /** The program; it is typed into through `input` and resized by this class. */
  readonly pty: Omit<Pty, 'write' | 'answer' | 'resize' | 'backlogBytes'>;
  readonly #pty: Pty;
  readonly #ring: RingBuffer;
  readonly #sizes: SizeHistory;
  readonly #historyBytes: number;
  readonly #clock: Clock;
  #events: TerminalEvents | undefined;
  #size: Size;
  /** Milliseconds instead of a Date, because it changes with every read of the terminal. */
  #lastActivityAt = Date.now();
  /** The same moment on the monotonic clock: a jump of the wall clock must not make a session idle. */
  #activeAt: number;

  /** Starts the program. Throws a Refusal if that fails. */
  constructor(spec: SpawnSpec, { spawn, clock, historyBytes, prelude, adopted }: TerminalOptions) {
    this.#clock = clock;
    this.#activeAt = clock.now();
    this.#historyBytes = historyBytes;
    this.#ring = new RingBuffer(historyBytes + (adopted?.extraBytes ?? 0), adopted?.start);
    this.#sizes = new SizeHistory(spec.size, adopted?.start);
    this.#size = spec.size;
    this.#pty = spawn(spec, {
      output: (bytes, isAll) => this.#record(bytes, isAll),
      resized: (size) => this.#resized(size),
      tookEarlier: (instance, count) => this.input.tookEarlier(instance, count),
      exited: (exit) => this.#events?.exited(exit),
    });
    this.pty = this.#pty;
    this.ring = this.#ring;
    this.sizes = this.#sizes;
    this.input = new SessionInput(this.#pty, clock, adopted?.ledger);
    if (prelude !== undefined) this.#ring.write(prelude);
  }

  /** The event loop delivers the first byte, so none is missed if this follows the constructor. */
  listen(events: TerminalEvents): void {
    this.#events = events;
  }

  /** The size that was asked for last. The output is printed for it once `resized` says so. */
  get size(): Size {
    return this.#size;
  }

  resize(size: Size): void {
    this.#size = size;
    this.#pty.resize(size);
  }

  /** The clients of an earlier agent process have come back, or will not. */
  settle(): void {
    this.#ring.limit(this.#historyBytes);
  }

  /** Drops the output; offsets continue. */
  dispose(): void {
    this.#ring.reset();
    this.#pty.forget();
  }

  get lastActivityAt(): Date {
    return new Date(this.#lastActivityAt);
  }

  /** Time since the last input or output. */
  get idleMs(): number {
    return this.#clock.now() - this.#activeAt;
  }

  /** Something was typed or printed. */
  touch(): void {
    this.#lastActivityAt = Date.now();
    this.#activeAt = this.#clock.now();
  }

  #resized(size: Size): void {
    const { start, end } = this.#ring;
    this.#sizes.forget(start);
    this.#sizes.record(end, size);
    this.#events?.resized(end, size);
  }

  #record(bytes: Uint8Array, isAll: boolean): void {
    this.touch();
    const offset = this.#ring.end;
    this.#ring.write(bytes);
    this.#events?.printed(offset, bytes, isAll);
  }
}
