/** A relay with an owner, for tests of what the owner does. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepOwner, type RelayOwner } from '../../cli/owner/owner-key.ts';
import type { FleetMachine } from '../../protocol/owner-answers.ts';
import type { MachineReport } from '../../worker/fleet/machine-report.ts';
import { signOwnerCookie } from '../../worker/gate/owner.ts';
import { SECRET, TestRelay } from './test-relay.ts';

interface Body {
  readonly code?: string;
  readonly workspace?: string;
  readonly machines?: readonly FleetMachine[];
  readonly renewal?: string;
  readonly expiresAt?: string;
  readonly challenge?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface OwnerReply {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

export class OwnedRelay implements AsyncDisposable {
  readonly relay: TestRelay;
  readonly owner: RelayOwner;
  /** Where the owner's key is. */
  readonly stateDir: string;

  private constructor(relay: TestRelay, owner: RelayOwner, dir: string) {
    this.relay = relay;
    this.owner = owner;
    this.stateDir = dir;
  }

  static async start(engine: 'workerd' | 'miniflare' = 'workerd'): Promise<OwnedRelay> {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-owned-relay-'));
    let owner = await keepOwner(dir);
    const settings = { RELAY_OWNER_KEY: owner.publicKey };
    const relay = await (engine === 'workerd'
      ? TestRelay.onWorkerd({ settings })
      : TestRelay.start({ settings }));
    // The key remembers its relay, as that of `holdfast up` does.
    owner = await keepOwner(dir, relay.url);
    return new OwnedRelay(relay, owner, dir);
  }

  get url(): URL {
    return this.relay.url;
  }

  /** As `holdfast link --owner` prints it. */
  async ownerLink(): Promise<string> {
    const { code } = (await this.asOwner('POST', '/api/owner/links')).body;
    return new URL(`/#owner=${code}`, this.url).href;
  }

  /** The owner's list. */
  async list(): Promise<readonly FleetMachine[]> {
    return (await this.asOwner('GET', '/api/owner/machines')).body.machines ?? [];
  }

  /** The names of the machines in it. */
  async machines(): Promise<string[]> {
    return (await this.list()).map(({ name }) => name);
  }

  /** A machine of this name joins. */
  async joins(name: string): Promise<void> {
    const { code } = (await this.asOwner('POST', '/api/owner/invites', {})).body;
    if ((await this.trade(code, name)) !== name) throw new Error(`${name} could not join`);
  }

  /** A machine trades the code of an invite. Answers with its name. */
  async trade(code: string | undefined, name: string): Promise<string | undefined> {
    const key = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x;
    const headers = { Authorization: `Invite ${code}` };
    return (await this.ask('POST', '/api/join', headers, { key, name })).body.workspace;
  }

  /** The fleet is told this, as by a workspace. It may be told more at once than workspaces could be started. */
  async reported(reports: Readonly<Record<string, MachineReport>>): Promise<void> {
    await this.relay.tellFleet(reports);
  }

  /** Takes everything from the list, whatever became of it. */
  async removeAll(): Promise<void> {
    const away: MachineReport = {
      ...{ isOnline: false, since: 1, lastSeen: 1, sessions: 0, attention: null, version: null },
    };
    const uninvited = (await this.list()).filter(({ origin }) => origin === 'token');
    await this.reported(Object.fromEntries(uninvited.map(({ name }) => [name, away])));
    for (const name of await this.machines()) await this.asOwner('DELETE', `/api/owner/machines/${name}`);
  }

  asOwner(method: string, path: string, body?: object): Promise<OwnerReply> {
    return this.ask(method, path, { Authorization: `Owner ${this.owner.prove(this.url.origin)}` }, body);
  }

  /** As a page of our own sends it. */
  async cookie(now = Date.now()): Promise<Record<string, string>> {
    const { cookie } = await signOwnerCookie(this.owner.publicKey, { secret: SECRET }, now);
    return { Cookie: `holdfast-${this.url.port}.owner=${cookie}`, Origin: this.url.origin };
  }

  async ask(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<OwnerReply> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Body),
      headers: response.headers,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]();
    await rm(this.stateDir, { recursive: true });
  }
}
