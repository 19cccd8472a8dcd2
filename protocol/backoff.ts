/**
 * Computes how long to wait before reconnecting: full jitter under a doubling ceiling. Rule CN2.
 *
 * Full jitter (uniform between zero and the ceiling) avoids a thundering herd: after a deploy drops every socket at
 * once, clients return at different times.
 */

/** The first attempt after a loss comes within this time. */
export const FIRST_CEILING_MS = 1_000;

/** While a person watches and the loss is recent, attempts are at most this far apart. */
export const EARLY_CEILING_MS = 2_000;
export const EARLY_MS = 60_000;

/** Later, or when nobody watches, attempts are at most this far apart: cheap for the relay, bearable for a person. */
export const LATE_CEILING_MS = 15_000;

export interface Outage {
  /** Failed attempts since the connection was last stable. */
  readonly failures: number;
  /** How long ago that was. */
  readonly elapsedMs: number;
  /** Whether a person is looking at a screen that waits for this connection. */
  readonly watched: boolean;
}

/** `random` is uniform in [0, 1). */
export function retryDelay(outage: Outage, random: () => number): number {
  const cap = outage.watched && outage.elapsedMs < EARLY_MS ? EARLY_CEILING_MS : LATE_CEILING_MS;
  // 2^20 seconds is far above either cap; the exponent is bounded so that it cannot overflow.
  const ceiling = Math.min(cap, FIRST_CEILING_MS * 2 ** Math.min(outage.failures, 20));
  return random() * ceiling;
}
