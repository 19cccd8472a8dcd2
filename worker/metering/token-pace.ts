/**
 * How much of a workspace's turn all connections of one token may use with what they send: many connections, each
 * within its own limit (RL12), would together leave nothing to others. Counted as a turn is, in messages and in bytes,
 * with the answers that the relay itself gives. Rule RL27.
 *
 * Pure: it knows sockets only as things to tell apart.
 */
import { METERED_TOKENS_MAX, TOKEN_SENDS_PER_S } from '../../protocol/limits.ts';
import type { ClientRole } from '../../protocol/messages.ts';
import { type Owner, ownerKey } from '../peers/owner.ts';
import { Bucket, type PaceJudgement } from './bucket.ts';

/** Of one token. */
export class TokenPace<S> {
  readonly #bucket: Bucket;
  /** Who was asked to slow down since something is owed: each connection is, once. */
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

  /** What was done for it besides; whoever sends next is judged by it. */
  charge(cost: number, now: number): void {
    this.#bucket.take(cost, now);
  }

  left(socket: S): void {
    this.#asked.delete(socket);
  }
}

/** A connection that ends does not clear what its token owes. */
export class TokenPaces<S> {
  /** The least recently used first. */
  readonly #paces = new Map<string, TokenPace<S>>();

  /** To be asked for once for each connection. */
  of(owner: Owner & { readonly role: ClientRole }, now: number): TokenPace<S> {
    const key = ownerKey(owner);
    const pace = this.#paces.get(key) ?? new TokenPace<S>(owner.role, now);
    this.#paces.delete(key);
    this.#paces.set(key, pace);
    const [oldest] = this.#paces.keys();
    if (this.#paces.size > METERED_TOKENS_MAX && oldest !== undefined) this.#paces.delete(oldest);
    return pace;
  }
}
