/**
 * How long to wait before dialling again: full jitter over a doubling ceiling. Rule CN2.
 *
 * Full jitter (uniform between zero and the ceiling) is what spreads a herd: after a deploy drops every
 * socket at once, no two clients agree on when to return.
 */

/** The first try after a loss comes within this long. */
export const FIRST_CEILING_MS = 1_000;

/** While a person watches and the loss is fresh, they wait at most this long for a try. */
export const EARLY_CEILING_MS = 2_000;
export const EARLY_MS = 60_000;

/** Later, or unwatched, tries are this far apart at most: cheap for the relay, bearable for a person. */
export const LATE_CEILING_MS = 15_000;

export interface Outage {
  /** Failed tries since the connection last held for a while. */
  readonly failures: number;
  /** How long ago that was. */
  readonly elapsedMs: number;
  /** Whether a person is looking at a screen that waits for this connection. */
  readonly watched: boolean;
}

/** `random` is uniform in [0, 1). */
export function retryDelay(outage: Outage, random: () => number): number {
  const cap = outage.watched && outage.elapsedMs < EARLY_MS ? EARLY_CEILING_MS : LATE_CEILING_MS;
  // 2^20 seconds are far above either cap; the exponent is bounded so that it cannot overflow.
  const ceiling = Math.min(cap, FIRST_CEILING_MS * 2 ** Math.min(outage.failures, 20));
  return random() * ceiling;
}
