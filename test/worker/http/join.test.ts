/** A machine joins by an invite: what it gets, and what is refused. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepOwner, type RelayOwner } from '../../../cli/owner/owner-key.ts';
import { AGENT_KEY_HEADER } from '../../../protocol/agent-key.ts';
import { REVOCATIONS_MAX } from '../../../protocol/limits.ts';
import { AgentKey } from '../../../vm-agent/identity/agent-key.ts';
import { makeFleetCode } from '../../../worker/gate/fleet-code.ts';
import { signToken } from '../../../worker/gate/made-token.ts';
import { connectKeyed } from '../../support/keyed-agent.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';

let dir: string;
let owner: RelayOwner;
let relay: TestRelay;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-join-'));
  owner = await keepOwner(dir);
  relay = await TestRelay.onWorkerd({ settings: { RELAY_OWNER_KEY: owner.publicKey } });
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

type Body = Record<string, string> & { readonly error: { readonly code: string; readonly message: string } };
interface Reply {
  readonly status: number;
  readonly body: Body;
}

async function ask(method: string, path: string, authorization: string, body?: unknown): Promise<Reply> {
  const response = await fetch(new URL(path, relay.url), {
    method,
    headers: { Authorization: authorization },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

const asOwner = (method: string, path: string, body?: unknown) =>
  ask(method, path, `Owner ${owner.prove(relay.url.origin)}`, body);

async function invite(machine?: string): Promise<string> {
  const { body } = await asOwner('POST', '/api/owner/invites', machine === undefined ? {} : { machine });
  return body.code ?? '';
}

const trade = (code: string, names: object, key = newKey()) =>
  ask('POST', '/api/join', `Invite ${code}`, { key, ...names });

function newKey(): string {
  const { publicKey } = generateKeyPairSync('x25519');
  return publicKey.export({ format: 'jwk' }).x ?? '';
}

const FULL_LIST = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${REVOCATIONS_MAX})
  INSERT INTO revocations (jti, recorded_at) SELECT 'token ' || i, 0 FROM n`;

/** What the relay answers to an agent that offers this key, or none. */
async function dial(workspace: string, token: string, key?: string): Promise<string> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(key === undefined ? {} : { [AGENT_KEY_HEADER]: key }),
  };
  try {
    const peer = await ScriptedPeer.connect(new URL(`/ws/agent/${workspace}`, relay.url), headers);
    await peer[Symbol.asyncDispose]();
    return 'connected';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a machine that joins', () => {
  it('[SEC25] [J2] [AK9] gets a token that works with its own key only, and its key is pinned', async () => {
    const key = newKey();
    const { status, body } = await trade(await invite(), { hostname: 'build-1' }, key);
    expect([status, body.workspace]).toEqual([201, 'build-1']);
    const token = body.token ?? '';
    expect(await dial('build-1', token, key)).toBe('connected');
    expect(await dial('build-1', token, newKey())).toMatch(/403/);
    expect(await dial('build-1', token)).toMatch(/403/);
    const operator = await relay.token('operator', 'build-1');
    const pinned = await ask('GET', '/api/workspaces/build-1/agent-key', `Bearer ${operator}`);
    expect(JSON.stringify(pinned.body)).toContain(body.fingerprint);
    const { body: listed } = await asOwner('GET', '/api/owner/machines');
    expect(JSON.stringify(listed)).toContain('"name":"build-1"');
  });

  it('[AK9] keeps its token to itself even after its key was reset', async () => {
    const key = newKey();
    const { body } = await trade(await invite(), { name: 'build-2' }, key);
    const operator = await relay.token('operator', 'build-2');
    await ask('DELETE', '/api/workspaces/build-2/agent-key', `Bearer ${operator}`);
    expect(await dial('build-2', body.token ?? '', newKey())).toMatch(/403/);
    expect(await dial('build-2', body.token ?? '', key)).toBe('connected');
  });

  it('[J2] uses an invite once', async () => {
    const code = await invite();
    expect((await trade(code, { name: 'once-1' })).status).toBe(201);
    const { status, body } = await trade(code, { name: 'once-2' });
    expect([status, body.error.code]).toEqual([401, 'invite_used']);
  });

  it('[J2] of two that use one invite at the same time, one joins', async () => {
    const code = await invite();
    const both = await Promise.all([trade(code, { name: 'race-1' }), trade(code, { name: 'race-2' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
  });

  it('[J2] is refused a name that is taken, and joins under another with the same invite', async () => {
    await trade(await invite(), { name: 'taken' });
    const code = await invite();
    const { status, body } = await trade(code, { hostname: 'taken' });
    expect([status, body.error.code]).toEqual([409, 'name_taken']);
    expect((await trade(code, { name: 'free' })).status).toBe(201);
  });

  it('[J2] is refused the name of an agent that is connected without a key', async () => {
    const agent = await ScriptedPeer.connect(
      new URL('/ws/agent/by-token', relay.url),
      await relay.bearer('agent', 'by-token'),
    );
    expect((await trade(await invite(), { name: 'by-token' })).body.error.code).toBe('name_taken');
    await agent[Symbol.asyncDispose]();
  });

  it('[J2] replaces the machine that the invite names: the old one is disconnected and refused', async () => {
    const own = new AgentKey(AgentKey.makeSecret());
    const [oldKey, newerKey] = [own.publicText, newKey()];
    const old = (await trade(await invite(), { name: 'rebuilt' }, oldKey)).body.token ?? '';
    const agent = await connectKeyed(relay, own, { token: old, workspace: 'rebuilt' });
    const { status, body } = await trade(await invite('rebuilt'), {}, newerKey);
    expect([status, body.workspace]).toEqual([201, 'rebuilt']);
    expect(await agent.closed).toMatchObject({ code: 4401 });
    expect(await dial('rebuilt', old, oldKey)).toMatch(/401/);
    expect(await dial('rebuilt', body.token ?? '', newerKey)).toBe('connected');
  });

  it('[J2] cannot use an invite for another name', async () => {
    const code = await invite('wanted');
    const { status, body } = await trade(code, { name: 'other' });
    expect([status, body.error.code]).toEqual([409, 'other_name']);
    expect((await trade(code, {})).body.workspace).toBe('wanted');
  });

  it('[J2] is refused with an expired invite, and one of another relay', async () => {
    const late = Date.now() - 601_000;
    const { code } = await makeFleetCode('invite', owner.publicKey, 600, { secret: SECRET }, late);
    expect((await trade(code, { name: 'late' })).body.error.message).toMatch(/has expired/);
    const secret = 'another secret that also has more than thirty-two bytes';
    const other = await makeFleetCode('invite', owner.publicKey, 600, { secret }, Date.now());
    const { status, body } = await trade(other.code, { name: 'elsewhere' });
    expect([status, body.error.message]).toEqual([401, expect.stringMatching(/made by another relay/)]);
  });

  it('[J2] is refused with a key that proves nothing, and without a name', async () => {
    const code = await invite();
    for (const key of ['', 'A'.repeat(43), 'x', 'x'.repeat(65)])
      expect((await trade(code, { name: 'bad-key' }, key)).status, key).toBe(400);
    expect((await trade(code, {})).body.error.code).toBe('name_missing');
    expect((await trade(code, { name: 'a b' })).status).toBe(400);
    expect((await trade(code, { name: 'x'.repeat(65) })).status).toBe(400);
    expect((await trade(code, { name: 'x'.repeat(64) })).status).toBe(201);
  });
});

describe('the owner', () => {
  it('[J2] lists invites and takes one back', async () => {
    const code = await invite('listed');
    const { body } = await asOwner('GET', '/api/owner/invites');
    const { invites } = body as unknown as { invites: { id: string; machine: string | null }[] };
    const { id = '' } = invites.find(({ machine }) => machine === 'listed') ?? {};
    expect(JSON.stringify(body)).not.toContain(code);
    expect((await asOwner('DELETE', `/api/owner/invites/${id}`)).status).toBe(204);
    expect((await asOwner('DELETE', `/api/owner/invites/${id}`)).status).toBe(404);
    expect((await trade(code, {})).body.error.code).toBe('invite_used');
  });

  it('[J2] removes a machine: it is disconnected, refused, and its name is free', async () => {
    const own = new AgentKey(AgentKey.makeSecret());
    const key = own.publicText;
    const token = (await trade(await invite(), { name: 'gone' }, key)).body.token ?? '';
    const agent = await connectKeyed(relay, own, { token, workspace: 'gone' });
    expect((await asOwner('DELETE', '/api/owner/machines/gone')).status).toBe(204);
    expect(await agent.closed).toMatchObject({ code: 4401 });
    expect(await dial('gone', token, key)).toMatch(/401/);
    expect((await trade(await invite(), { name: 'gone' })).status).toBe(201);
    expect((await asOwner('DELETE', '/api/owner/machines/never-there')).status).toBe(404);
  });

  it('[X34] [SEC25] [GT14] removes a machine: links to it do not open the next machine of that name', async () => {
    const earlier = Math.floor(Date.now() / 1000) - 60;
    const claims = { ws: 'handed-on', role: 'operator', jti: 'link of Ann', iat: earlier } as const;
    const keys = { secret: SECRET, publicKeys: undefined };
    const link = await signToken({ ...claims, exp: earlier + 3600 }, keys);
    const health = async () =>
      (await ask('GET', '/api/workspaces/handed-on/health', `Bearer ${link}`)).status;
    await trade(await invite(), { name: 'handed-on' });
    expect(await health()).toBe(200);
    await asOwner('DELETE', '/api/owner/machines/handed-on');
    await trade(await invite(), { name: 'handed-on' });
    expect(await health()).toBe(401);
  });

  it('[X34] [SEC25] [GT14] removes a machine although its operators have filled the list of revoked tokens', async () => {
    const own = new AgentKey(AgentKey.makeSecret());
    const place = relay.another();
    const name = place.workspace;
    const token = (await trade(await invite(), { name }, own.publicText)).body.token ?? '';
    const agent = await connectKeyed(relay, own, { token, workspace: name });
    await place.sql(FULL_LIST);
    expect((await asOwner('DELETE', `/api/owner/machines/${name}`)).status).toBe(204);
    expect(await dial(name, token, own.publicText)).toMatch(/401/);
    expect(await agent.closed).toMatchObject({ code: 4401 });
  });
});
