/**
 * Keeps the page logged in. It renews an old cookie before using it, and once more when the relay refuses it. All side
 * effects go through the parts passed in. Rule GT11.
 *
 * Scripts cannot read the cookie, so its age is counted from the last renewal, by the wall clock, which keeps running
 * while a laptop sleeps. A wrong clock costs one request: only the relay decides what is valid.
 */
import type { Clock } from '../../../protocol/clock.ts';
import { LOGIN_ENDING_MS, PAGE_COOKIE_RENEW_MS } from '../../../protocol/limits.ts';

/** What this browser stores of a login. The page can use the private key, but nobody can read it. */
export interface StoredLogin {
  readonly keys: CryptoKeyPair;
  /** Useless without the key. */
  readonly renewal: string;
  /** Wall clock time in ms. */
  readonly renewedAt: number;
  /** When the login can no longer be renewed, in ms; null if the relay has not said. */
  readonly endsAt: number | null;
}

export interface LoginStore {
  read(): Promise<StoredLogin | null>;
  write(login: StoredLogin): Promise<void>;
  remove(): Promise<void>;
}

export type Renewed =
  | { readonly name: 'renewed'; readonly renewal: string; readonly endsAt: number | null }
  /** The login has ended; only another link helps. */
  | { readonly name: 'refused' }
  /** The relay cannot be reached or has failed; trying again may help. */
  | { readonly name: 'failed' };

/** `unknown`: nothing is stored. There may still be a cookie, which only using it will show. */
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
  /** Whether this cookie replaced a refused one and has not been accepted yet. */
  #isReplacement = false;
  #endsAt: number | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(parts: PageLoginParts) {
    this.#parts = parts;
  }

  /** Call before the cookie is used. */
  async ready(): Promise<Standing> {
    const login = await this.#parts.store.read();
    this.#endsWhen(login?.endsAt ?? null);
    if (login === null) return 'unknown';
    const age = this.#parts.wallClock() - login.renewedAt;
    return age >= 0 && age < PAGE_COOKIE_RENEW_MS ? 'in' : this.#renew(login);
  }

  /**
   * The relay refused the cookie. Returns whether to try again: false when there is no stored login, or when the
   * replacement is refused as well, because the token behind both has been revoked.
   */
  async replace(): Promise<boolean> {
    if (this.#isReplacement) return false;
    const login = await this.#parts.store.read();
    if (login === null) return false;
    const standing = await this.#renew(login);
    this.#isReplacement = standing === 'in';
    return standing !== 'refused';
  }

  /** The relay accepted the cookie. */
  accepted(): void {
    this.#isReplacement = false;
  }

  /** The user has logged in with another link while the page was open. */
  async changed(): Promise<void> {
    this.#isReplacement = false;
    await this.ready();
  }

  /** When the login ends, if that is soon; null otherwise and when unknown. Wall clock time in ms. */
  get endingAt(): number | null {
    const isSoon = this.#endsAt !== null && this.#endsAt - this.#parts.wallClock() <= LOGIN_ENDING_MS;
    return isSoon ? this.#endsAt : null;
  }

  /** Calls `listener` when `endingAt` may have changed; returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Renews while the page is open, hidden or not; returns a function that stops it. */
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
