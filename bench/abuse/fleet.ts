/** The owner of the attacked relay, with as many machines as there may be, and what somebody may have got hold of. */
import { generateKeyPairSync } from 'node:crypto';
import type { RelayOwner } from '../../cli/owner/owner-key.ts';
import { FLEET_MACHINES_MAX } from '../../protocol/limits.ts';

const JOINING_AT_ONCE = 4;

/** What the attacks on the owner's routes are given. */
export interface StolenFromOwner {
  /** The owner's cookie, with its name. */
  readonly cookie: string;
  /** An invite that was taken back, which is like a used one, and one that still works. */
  readonly usedInvite: string;
  readonly invite: string;
}

interface Code {
  readonly code: string;
  readonly id: string;
}

export class Fleet {
  readonly #relay: URL;
  readonly #owner: RelayOwner;
  #filled: Promise<unknown> | undefined;

  constructor(relay: URL, owner: RelayOwner) {
    this.#relay = relay;
    this.#owner = owner;
  }

  /** New ones for each attack. The first time, as many machines join as there may be. */
  async stolen(): Promise<StolenFromOwner> {
    this.#filled ??= this.#fill();
    await this.#filled;
    const { code: link } = await this.#make('links');
    const headers = { Authorization: `Link ${link}`, Origin: this.#relay.origin };
    const login = await this.#ask('POST', 'owner/login', headers);
    const [cookie = ''] = (login.headers.get('Set-Cookie') ?? '').split(';');
    const { code: usedInvite, id } = await this.#make('invites');
    await this.#ask('DELETE', `owner/invites/${id}`, this.#proof);
    const { code: invite } = await this.#make('invites');
    return { cookie, usedInvite, invite };
  }

  async #fill(): Promise<void> {
    let machines = 0;
    const join = async () => {
      while (machines < FLEET_MACHINES_MAX) {
        const name = `machine-${machines++}`.padEnd(64, 'x');
        const key = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x;
        const { code } = await this.#make('invites');
        const joined = await this.#ask('POST', 'join', { Authorization: `Invite ${code}` }, { key, name });
        if (joined.status !== 201) throw new Error(`${name} could not join: ${await joined.text()}`);
      }
    };
    await Promise.all(Array.from({ length: JOINING_AT_ONCE }, join));
  }

  async #make(what: 'invites' | 'links'): Promise<Code> {
    const made = await this.#ask('POST', `owner/${what}`, this.#proof, {});
    if (made.status !== 201) throw new Error(`the relay answered ${made.status} to its owner`);
    return (await made.json()) as Code;
  }

  #ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<Response> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return fetch(new URL(`/api/${path}`, this.#relay), { method, headers, ...sent });
  }

  get #proof(): Record<string, string> {
    return { Authorization: `Owner ${this.#owner.prove(this.#relay.origin)}` };
  }
}
