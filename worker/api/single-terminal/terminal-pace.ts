/**
 * How fast output may go to a socket that acknowledges nothing. The runtime neither tells nor bounds what of it is
 * still unsent, so what may pile up for a reader that has stalled is bounded here, by arithmetic.
 *
 *   fast: a budget since anything was last heard of the other end, at a rate that keeps a person's terminal busy.
 *   slow: once that is used up, a screen now and then; the program goes on, and what it prints meanwhile is skipped.
 *   over: when even that has added up to a limit. A terminal in which nobody types for so long is nobody's.
 */
import type { Clock } from '../../../protocol/clock.ts';
import { type SharedLine, TerminalLines } from './terminal-lines.ts';

/** About what a terminal in a browser parses. */
export const FAST_BYTES_PER_S = 4 * 1024 * 1024;
/** … and what all terminals of an isolate get together, each workspace the same part: each byte is looked at here. */
export const ALL_FAST_BYTES_PER_S = 2 * FAST_BYTES_PER_S;
/** What a reader may be behind before it is shown screens only; an eighth of what an isolate may have. */
export const FAST_BUDGET_BYTES = 16 * 1024 * 1024;
/** A screen is some 4 KiB, so that what is left lasts for hours of a program that prints without a pause. */
export const SLOW_EVERY_MS = 5_000;
export const UNHEARD_MAX_BYTES = 24 * 1024 * 1024;

/** When everything sent so far would have gone out at a rate. */
export class Line {
  readonly #bytesPerS: number;
  #busyUntil = 0;

  constructor(bytesPerS: number) {
    this.#bytesPerS = bytesPerS;
  }

  /** How long until it is free again. */
  sent(bytes: number, now: number): number {
    this.#busyUntil = Math.max(now, this.#busyUntil) + (bytes / this.#bytesPerS) * 1000;
    return this.#busyUntil - now;
  }
}

export class TerminalPace {
  readonly #clock: Clock;
  readonly #own = new Line(FAST_BYTES_PER_S);
  readonly #shared: SharedLine;
  #unheard = 0;

  /** `shared`: the workspace's part of what all terminals of an isolate get. */
  constructor(clock: Clock, shared: SharedLine = new TerminalLines(ALL_FAST_BYTES_PER_S).of('')) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /** The other end has said something: it is there, and probably reads. What it holds if not, terminal-reading.ts bounds. */
  heard(): void {
    this.#unheard = 0;
  }

  get isOver(): boolean {
    return this.#unheard > UNHEARD_MAX_BYTES;
  }

  /** Whether the agent sends on without waiting for acknowledgements. */
  get isIgnored(): boolean {
    return this.#shared.isTooFarAhead(this.#clock.now());
  }

  /** `bytes` were sent; how long until more may be asked for. */
  sent(bytes: number): number {
    this.#unheard += bytes;
    const now = this.#clock.now();
    const pauseMs = Math.max(this.#own.sent(bytes, now), this.#shared.sent(bytes, now));
    return this.#unheard > FAST_BUDGET_BYTES ? SLOW_EVERY_MS : pauseMs;
  }
}
