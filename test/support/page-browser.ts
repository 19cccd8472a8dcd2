/** Logs in and renews the login as a page does, but without a browser: keys with WebCrypto, cookies by hand. */
import { provenText, renewalCredential } from '../../protocol/page-login.ts';
import { fetchOnce } from './fetch-once.ts';
import type { TestRelay } from './test-relay.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export interface LoginAnswer {
  readonly status: number;
  readonly renewal: string;
  /** `name=value` */
  readonly cookie: string;
  readonly setCookie: string;
}

export class PageBrowser {
  readonly #relay: TestRelay;
  readonly #keys: CryptoKeyPair;

  private constructor(relay: TestRelay, keys: CryptoKeyPair) {
    this.#relay = relay;
    this.#keys = keys;
  }

  static async open(relay: TestRelay): Promise<PageBrowser> {
    return new PageBrowser(relay, await crypto.subtle.generateKey(ECDSA, false, ['sign', 'verify']));
  }

  /** The same browser, used with another relay. */
  on(relay: TestRelay): PageBrowser {
    return new PageBrowser(relay, this.#keys);
  }

  publicKey(): Promise<JsonWebKey> {
    return crypto.subtle.exportKey('jwk', this.#keys.publicKey);
  }

  async logIn(authorization: string): Promise<LoginAnswer> {
    return this.post({ Authorization: authorization }, { key: await this.publicKey() });
  }

  async challenge(): Promise<string> {
    const answer = await fetchOnce(this.#at('/login/challenge'));
    return ((await answer.json()) as { challenge: string }).challenge;
  }

  async prove(renewal: string, challenge: string): Promise<string> {
    const text = new TextEncoder().encode(provenText({ renewal, challenge }));
    const signature = await crypto.subtle.sign(ECDSA, this.#keys.privateKey, text);
    return Buffer.from(signature).toString('base64url');
  }

  async renew(
    renewal: string,
    given: { challenge?: string; origin?: string | null } = {},
  ): Promise<LoginAnswer> {
    const challenge = given.challenge ?? (await this.challenge());
    const signature = await this.prove(renewal, challenge);
    return this.show(renewalCredential({ renewal, challenge, signature }), given.origin);
  }

  show(credential: string, origin: string | null = this.#relay.url.origin): Promise<LoginAnswer> {
    const from = origin === null ? {} : { Origin: origin };
    return this.post({ Authorization: `Renewal ${credential}`, ...from }, undefined);
  }

  /** The status that a request of our own page gets with this cookie. */
  async statusWith(cookie: string, path = '/health'): Promise<number> {
    const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
    return (await fetchOnce(this.#at(path), { headers })).status;
  }

  async post(headers: Record<string, string>, body: unknown): Promise<LoginAnswer> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetchOnce(this.#at('/login'), { method: 'POST', headers, ...init });
    const { renewal = '' } = (await answer.json()) as { renewal?: string };
    const setCookie = answer.headers.get('Set-Cookie') ?? '';
    return { status: answer.status, renewal, cookie: setCookie.split(';')[0] ?? '', setCookie };
  }

  #at(path: string): URL {
    return new URL(`/api/workspaces/${this.#relay.workspace}${path}`, this.#relay.url);
  }
}
