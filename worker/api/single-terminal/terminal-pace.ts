/**
 * Limits how fast output is sent to a socket that acknowledges nothing. The runtime neither reports nor bounds what is
 * still unsent, so what can accumulate for a stalled reader is bounded here, by arithmetic.
 *
 * - fast: a budget of bytes since the other end last sent anything, at a rate that keeps a person's terminal busy.
 * - slow: once that budget is used up, a screen every few seconds. The program continues, and its output in between is
 *   skipped.
 * - over: when even the screens reach a limit, the terminal is closed. Nobody has typed in it for so long that it
 *   counts as abandoned.
 */
import type { Clock } from '../../../protocol/clock.ts';
import { type SharedLine, TerminalLines } from './terminal-lines.ts';

/** About what a terminal in a browser can parse. */
export const FAST_BYTES_PER_S = 4 * 1024 * 1024;
/**
 * The rate of all terminals in an isolate together, shared equally by workspaces, because the relay inspects every
 * byte.
 */
export const ALL_FAST_BYTES_PER_S = 2 * FAST_BYTES_PER_S;
/** How far a reader may fall behind before it gets screens only: an eighth of an isolate's memory. */
export const FAST_BUDGET_BYTES = 16 * 1024 * 1024;
/** A screen is about 4 KiB, so the rest of the budget lasts for hours of a program that prints without pause. */
export const SLOW_EVERY_MS = 5_000;
export const UNHEARD_MAX_BYTES = 24 * 1024 * 1024;

/** Computes when everything sent so far would have passed at a given rate. */
export class Line {
  readonly #bytesPerS: number;
  #busyUntil = 0;

  constructor(bytesPerS: number) {
    this.#bytesPerS = bytesPerS;
  }

  /** Records sent bytes; returns how long until the line is free. */
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

  /** `shared` is the workspace's share of the isolate's terminal output. */
  constructor(clock: Clock, shared: SharedLine = new TerminalLines(ALL_FAST_BYTES_PER_S).of('')) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /**
   * The other end sent something, so it is connected and probably reads. If it does not, terminal-reading.ts bounds
   * what it holds.
   */
  heard(): void {
    this.#unheard = 0;
  }

  get isOver(): boolean {
    return this.#unheard > UNHEARD_MAX_BYTES;
  }

  /** Whether the agent sends without waiting for acknowledgements. */
  get isIgnored(): boolean {
    return this.#shared.isTooFarAhead(this.#clock.now());
  }

  /** Records sent bytes; returns how long to wait before asking for more. */
  sent(bytes: number): number {
    this.#unheard += bytes;
    const now = this.#clock.now();
    const pauseMs = Math.max(this.#own.sent(bytes, now), this.#shared.sent(bytes, now));
    return this.#unheard > FAST_BUDGET_BYTES ? SLOW_EVERY_MS : pauseMs;
  }
}
