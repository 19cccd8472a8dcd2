/** A relay with an owner, for tests of what the owner does. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepOwner, type RelayOwner } from '../../cli/owner/owner-key.ts';
import { TestRelay } from './test-relay.ts';

interface Body {
  readonly code?: string;
  readonly workspace?: string;
  readonly machines?: readonly { readonly name: string }[];
}

export class OwnedRelay implements AsyncDisposable {
  readonly #relay: TestRelay;
  readonly #owner: RelayOwner;
  readonly #dir: string;

  private constructor(relay: TestRelay, owner: RelayOwner, dir: string) {
    this.#relay = relay;
    this.#owner = owner;
    this.#dir = dir;
  }

  static async start(): Promise<OwnedRelay> {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-owned-relay-'));
    const owner = await keepOwner(dir);
    const relay = await TestRelay.onWorkerd({ settings: { RELAY_OWNER_KEY: owner.publicKey } });
    return new OwnedRelay(relay, owner, dir);
  }

  get url(): URL {
    return this.#relay.url;
  }

  /** As `holdfast link --owner` prints it. */
  async ownerLink(): Promise<string> {
    const { code } = await this.#asOwner('POST', '/api/owner/links');
    return new URL(`/#owner=${code}`, this.url).href;
  }

  /** The names of the machines that have joined. */
  async machines(): Promise<string[]> {
    const { machines = [] } = await this.#asOwner('GET', '/api/owner/machines');
    return machines.map(({ name }) => name);
  }

  /** A machine of this name joins. */
  async joins(name: string): Promise<void> {
    const { code } = await this.#asOwner('POST', '/api/owner/invites', {});
    if ((await this.trade(code, name)) !== name) throw new Error(`${name} could not join`);
  }

  /** A machine trades the code of an invite. Answers with its name. */
  async trade(code: string | undefined, name: string): Promise<string | undefined> {
    const key = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x;
    return (await this.#ask('POST', '/api/join', `Invite ${code}`, { key, name })).workspace;
  }

  async removeAll(): Promise<void> {
    for (const name of await this.machines()) await this.#asOwner('DELETE', `/api/owner/machines/${name}`);
  }

  #asOwner(method: string, path: string, body?: object): Promise<Body> {
    return this.#ask(method, path, `Owner ${this.#owner.prove(this.url.origin)}`, body);
  }

  async #ask(method: string, path: string, authorization: string, body?: object): Promise<Body> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { Authorization: authorization },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return text === '' ? {} : (JSON.parse(text) as Body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await rm(this.#dir, { recursive: true });
  }
}
