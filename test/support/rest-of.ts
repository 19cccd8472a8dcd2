/** How much is left of a time limit that counts from the start of a request, when the request arrives somewhere. */
import { expect } from 'vitest';

/** Matches what may be left of `ms`, counted from now: less if the request took a while, but not less than that. */
export function restOf(ms: number): unknown {
  const startedAt = performance.now();
  // Clocks of two processes, each in whole milliseconds.
  const isRest = (left: unknown) =>
    typeof left === 'number' && left <= ms && left >= ms - (performance.now() - startedAt) - 2;
  return expect.toSatisfy(isRest, `what is left of ${ms} ms`);
}
