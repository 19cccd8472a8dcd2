/**
 * Cuts output into steps that xterm parses one by one. xterm lets the page do other work between two writes, but not
 * inside one: 24 KB of `ESC c` in one write stop the page for three seconds.
 */
import type { Size } from '../frame.ts';
import { halfCharacterBytes } from '../utf8.ts';

/** The costliest sequences take about 70 ms for this many bytes … */
const STEP_MAX_BYTES = 512;

/** … on a screen of this many cells. On larger screens each sequence costs more, so steps are shorter. */
const FULL_STEP_CELLS = 10_000;

/** Shorter steps would cost more than they parse. */
const STEP_MIN_BYTES = 64;

/** In order, and cut between characters. There is at least one step, which may be empty. */
export function parseSteps(
  bytes: Uint8Array<ArrayBuffer>,
  { cols, rows }: Size,
): readonly Uint8Array<ArrayBuffer>[] {
  const fitting = Math.floor((STEP_MAX_BYTES * FULL_STEP_CELLS) / (cols * rows));
  const length = Math.min(STEP_MAX_BYTES, Math.max(STEP_MIN_BYTES, fitting));
  const steps: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  do {
    const step = bytes.subarray(at, at + length);
    const isLast = at + step.length === bytes.length;
    steps.push(isLast ? step : step.subarray(0, step.length - halfCharacterBytes(step)));
    at += steps.at(-1)?.length ?? 0;
  } while (at < bytes.length);
  return steps;
}
