/** What requests that may name any workspace are charged, beyond one request. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { createApp } from '../../../worker/app.ts';
import { makeFleetCode } from '../../../worker/gate/fleet-code.ts';
import { signOwnerCookie } from '../../../worker/gate/owner.ts';
import { requestPace } from '../../../worker/metering/request-pace.ts';
import { SECRET } from '../../support/test-relay.ts';

const ORIGIN = 'http://127.0.0.1:8787';
const KEYS = { secret: SECRET };
const owner = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '';
const machine = {
  name: 'build-1',
  label: null,
  joined: { fingerprint: 'SHA256:x', joinedAt: 0 },
  report: null,
};
const fleet = {
  machines: async () => Array.from({ length: 1000 }, () => machine),
  machine: async () => machine,
  takeCode: async (id: string) => ({ id, kind: 'invite', machine: null, expiresAt: 0 }),
  keepCode: async () => true,
};
const revocations = async () => ({ ok: true, value: { before: null, revocations: [], next: null } });
const audit = async () => ({ ok: true, value: { entries: [], next: null } });
const env = {
  RELAY_SECRET: SECRET,
  RELAY_OWNER_KEY: owner,
  FLEET: { getByName: () => fleet },
  WORKSPACE: { getByName: () => ({ audit, revocations }) },
};

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['a list of machines by their number', 'GET', '/api/owner/machines', { machines: 1000 }, 200],
  ['a workspace that the owner names', 'GET', '/api/workspaces/any/revocations', { workspaces: 1 }, 200],
  ['an invite that is refused and stays unused', 'POST', '/api/join', { workspaces: 1 }, 400],
])('[X35] [SEC25] [RL24] %s is charged', async (_, method, path, work, status) => {
  const charge = vi.spyOn(requestPace, 'charge');
  const { cookie } = await signOwnerCookie(owner, KEYS, Date.now());
  const { code } = await makeFleetCode('invite', owner, 600, KEYS, Date.now());
  const headers: Record<string, string> =
    path === '/api/join'
      ? { Authorization: `Invite ${code}` }
      : { Cookie: `holdfast-8787.owner=${cookie}`, Origin: ORIGIN };
  const body = method === 'POST' ? { body: JSON.stringify({ key: 'x' }) } : {};
  const answer = await createApp().fetch(
    new Request(ORIGIN + path, { method, headers, ...body }),
    env as never,
  );
  expect(answer.status, await answer.text()).toBe(status);
  expect(charge.mock.calls.map(([, charged]) => charged)).toEqual([work]);
});
