/**
 * Counts failed authentications, and tells when a source must wait. Pure arithmetic in the memory of one isolate:
 * nothing is stored, and a new isolate starts at zero.
 *
 * A source is an IP address if the platform vouches for it, otherwise the exact credential that was sent. Token ids are
 * not used: they are not secret, so a stranger could lock out the token's owner. Only requests with an invalid
 * credential are told to wait, so nobody is locked out by a neighbour behind the same address.
 */
import {
  AUTH_FAILURES_IN_ALL_MAX,
  AUTH_FAILURES_PER_SOURCE_MAX,
  AUTH_FAILURES_WINDOW_MS,
  AUTH_SOURCES_MAX,
} from '../../protocol/limits.ts';

const REFUSAL_REASONS = [
  'missing',
  'kind',
  'invalid',
  'expired',
  'revoked',
  'origin',
  'workspace',
  'role',
  'too_many',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

interface Window {
  readonly since: number;
  failures: number;
}

export class AuthFailures {
  readonly #totals = new Map<RefusalReason, number>(REFUSAL_REASONS.map((reason) => [reason, 0]));
  /** Oldest window first: a source whose window has ended moves to the end. */
  readonly #sources = new Map<string, Window>();
  #all: Window = { since: Number.NEGATIVE_INFINITY, failures: 0 };

  /** Totals since this isolate started, by reason. */
  get totals(): ReadonlyMap<RefusalReason, number> {
    return this.#totals;
  }

  get sources(): number {
    return this.#sources.size;
  }

  count(reason: RefusalReason): void {
    this.#totals.set(reason, (this.#totals.get(reason) ?? 0) + 1);
  }

  /**
   * Records a failure. Returns how long to wait because this source, or all sources together, failed too often; 0 when
   * there is no need to wait.
   */
  failed(source: string, now: number): number {
    const ofSource = this.#windowOf(source, now);
    ofSource.failures += 1;
    if (!isCurrent(this.#all, now)) this.#all = { since: now, failures: 0 };
    this.#all.failures += 1;
    return Math.max(
      waitOf(ofSource, AUTH_FAILURES_PER_SOURCE_MAX, now),
      waitOf(this.#all, AUTH_FAILURES_IN_ALL_MAX, now),
    );
  }

  #windowOf(source: string, now: number): Window {
    const known = this.#sources.get(source);
    if (known !== undefined && isCurrent(known, now)) return known;
    this.#sources.delete(source);
    const [oldest] = this.#sources.keys();
    if (this.#sources.size >= AUTH_SOURCES_MAX && oldest !== undefined) this.#sources.delete(oldest);
    const fresh = { since: now, failures: 0 };
    this.#sources.set(source, fresh);
    return fresh;
  }
}

/** A clock that was set back ends the window, so nobody waits longer than one window. */
function isCurrent({ since }: Window, now: number): boolean {
  return now >= since && now - since < AUTH_FAILURES_WINDOW_MS;
}

function waitOf(window: Window, max: number, now: number): number {
  if (window.failures <= max) return 0;
  return window.since + AUTH_FAILURES_WINDOW_MS - now;
}
