/**
 * Keeps the page logged in: renews the cookie before it is used when it is old, and once when the relay refuses it.
 * Pure but for its parts. Rule GT11.
 *
 * The cookie cannot be read by scripts, so its age is known only from when it was last renewed, by the wall clock, which
 * goes on while a laptop sleeps. A clock that is wrong costs one request: the relay alone decides what counts.
 */
import type { Clock } from '../../../protocol/clock.ts';
import { LOGIN_ENDING_MS, PAGE_COOKIE_RENEW_MS } from '../../../protocol/limits.ts';

/** What this browser keeps of a login. The private key can be used by the page, and read by nobody. */
export interface StoredLogin {
  readonly keys: CryptoKeyPair;
  /** Worth nothing without the key. */
  readonly renewal: string;
  /** By the wall clock, in ms. */
  readonly renewedAt: number;
  /** When it can no longer be renewed, in ms; null where the relay has not said so. */
  readonly endsAt: number | null;
}

export interface LoginStore {
  read(): Promise<StoredLogin | null>;
  write(login: StoredLogin): Promise<void>;
  remove(): Promise<void>;
}

export type Renewed =
  | { readonly name: 'renewed'; readonly renewal: string; readonly endsAt: number | null }
  /** The login has ended: only another link helps. */
  | { readonly name: 'refused' }
  /** The relay cannot be reached, or is in trouble: trying again may help. */
  | { readonly name: 'failed' };

/** `unknown`: nothing is stored; there may be a cookie all the same, and using it shows. */
export type Standing = 'in' | 'unknown' | 'refused' | 'failed';

interface PageLoginParts {
  readonly store: LoginStore;
  readonly renew: (login: StoredLogin) => Promise<Renewed>;
  readonly wallClock: () => number;
}

/** The cookie is renewed at an age between PAGE_COOKIE_RENEW_MS and this much more. */
export const CHECK_EVERY_MS = 120_000;

export class PageLogin {
  readonly #parts: PageLoginParts;
  #renewing: Promise<Standing> | null = null;
  /** Whether the cookie was got because the one before was refused, and has not been accepted yet. */
  #isReplacement = false;
  #endsAt: number | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(parts: PageLoginParts) {
    this.#parts = parts;
  }

  /** Before the cookie is used. */
  async ready(): Promise<Standing> {
    const login = await this.#parts.store.read();
    this.#endsWhen(login?.endsAt ?? null);
    if (login === null) return 'unknown';
    const age = this.#parts.wallClock() - login.renewedAt;
    return age >= 0 && age < PAGE_COOKIE_RENEW_MS ? 'in' : this.#renew(login);
  }

  /**
   * The relay refused the cookie. Whether to try again: false when there is no other, or when the one that replaced
   * the last is refused as well, because the token behind them has been revoked.
   */
  async replace(): Promise<boolean> {
    if (this.#isReplacement) return false;
    const login = await this.#parts.store.read();
    if (login === null) return false;
    const standing = await this.#renew(login);
    this.#isReplacement = standing === 'in';
    return standing !== 'refused';
  }

  /** The relay took the cookie. */
  accepted(): void {
    this.#isReplacement = false;
  }

  /** A person has logged in with another link, while the page was open. */
  async changed(): Promise<void> {
    this.#isReplacement = false;
    await this.ready();
  }

  /** When the login ends, once that is soon; null before, and where nobody knows. In ms, by the wall clock. */
  get endingAt(): number | null {
    const isSoon = this.#endsAt !== null && this.#endsAt - this.#parts.wallClock() <= LOGIN_ENDING_MS;
    return isSoon ? this.#endsAt : null;
  }

  /** Calls `listener` when `endingAt` may have changed; returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Renews while the page is open, hidden or not; returns how to stop that. */
  keepFresh(clock: Clock): () => void {
    let cancel = () => {};
    const plan = () => {
      cancel = clock.after(CHECK_EVERY_MS, () => {
        void this.ready();
        plan();
      });
    };
    plan();
    return () => cancel();
  }

  #renew(login: StoredLogin): Promise<Standing> {
    this.#renewing ??= this.#renewNow(login).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renewNow(login: StoredLogin): Promise<Standing> {
    const { renew, store, wallClock } = this.#parts;
    const renewed = await renew(login);
    if (renewed.name !== 'renewed') return renewed.name;
    const { renewal, endsAt } = renewed;
    await store.write({ ...login, renewal, endsAt, renewedAt: wallClock() });
    this.#endsWhen(endsAt);
    return 'in';
  }

  #endsWhen(endsAt: number | null): void {
    this.#endsAt = endsAt;
    for (const listener of this.#listeners) listener();
  }
}
