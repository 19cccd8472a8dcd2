/**
 * Limits how much of a workspace's turn all connections of one token may use with what they send. Without it, many
 * connections that each stay within their own limit (RL12) would together leave nothing to others. Messages and bytes
 * are counted as for a turn, including the answers that the relay itself gives. Rule RL27.
 *
 * This code does no I/O: to it, sockets are only map keys.
 */
import { METERED_TOKENS_MAX, TOKEN_SENDS_PER_S } from '../../protocol/limits.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { type Owner, ownerKey } from '../peers/owner.ts';
import { Bucket, type PaceJudgement } from './bucket.ts';

/** The pace of one token. */
export class TokenPace<S> {
  readonly #bucket: Bucket;
  /** Connections that were asked to slow down during the current debt; each is asked once. */
  readonly #asked = new Set<S>();

  constructor(role: ClientRole, now: number) {
    this.#bucket = new Bucket(now, {
      capacity: TOKEN_SENDS_PER_S[role],
      refillPerS: TOKEN_SENDS_PER_S[role],
    });
  }

  get retryAfterMs(): number {
    return this.#bucket.retryAfterMs;
  }

  take(socket: S, cost: number, now: number): PaceJudgement {
    const judgement = this.#bucket.take(cost, now);
    if (judgement === 'over') return 'over';
    if (!this.#bucket.isEmpty) {
      this.#asked.clear();
      return 'pass';
    }
    if (this.#asked.has(socket)) return 'pass';
    this.#asked.add(socket);
    return 'slow';
  }

  /** Charges work done on behalf of the token. Its next message is judged by it. */
  charge(cost: number, now: number): void {
    this.#bucket.take(cost, now);
  }

  owes(now: number): boolean {
    this.#bucket.take(0, now);
    return this.#bucket.isEmpty;
  }

  left(socket: S): void {
    this.#asked.delete(socket);
  }
}

/** The paces of all tokens. Closing a connection does not clear its token's debt. */
export class TokenPaces<S> {
  /** Least recently used first. */
  readonly #paces = new Map<string, TokenPace<S>>();

  /** Call once for each connection. */
  of(owner: Owner & { readonly role: ClientRole }, now: number): TokenPace<S> {
    const key = ownerKey(owner);
    const pace = this.#paces.get(key) ?? new TokenPace<S>(owner.role, now);
    this.#paces.delete(key);
    this.#paces.set(key, pace);
    const [oldest] = this.#paces.keys();
    if (this.#paces.size > METERED_TOKENS_MAX && oldest !== undefined) this.#paces.delete(oldest);
    return pace;
  }

  owes(owner: Owner, now: number): boolean {
    return this.#paces.get(ownerKey(owner))?.owes(now) ?? false;
  }
}
