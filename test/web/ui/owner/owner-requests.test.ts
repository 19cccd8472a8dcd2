import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinLine } from '../../../../web/ui/owner/invite-dialog.tsx';
import {
  enterMachine,
  inviteMachine,
  listMachines,
  logInOwner,
  removeMachine,
} from '../../../../web/ui/owner/owner-requests.ts';

const MACHINE = {
  ...{ name: 'build-7', displayName: null, origin: 'invite', fingerprint: 'SHA256:abc' },
  ...{ joinedAt: '2026-01-02T03:04:05.000Z', state: 'online', since: null, lastSeen: null, sessions: 1 },
  ...{ attention: null, version: '0.1.0' },
};

/** What was asked, as `GET /path`. */
let asked: string[] = [];
beforeEach(() => {
  asked = [];
  vi.stubGlobal('location', { href: 'https://relay.example/' });
});
afterEach(() => vi.unstubAllGlobals());

function relayAnswers(status: number, body: unknown): void {
  vi.stubGlobal('fetch', async (address: URL | string, { method = 'GET' }: RequestInit) => {
    asked.push(`${method} ${new URL(address, location.href).pathname}`);
    return new Response(status === 204 ? null : JSON.stringify(body), { status });
  });
}

describe('the list of machines', () => {
  it('[J2] is taken if every machine in it is valid', async () => {
    relayAnswers(200, { machines: [MACHINE] });
    expect(await listMachines()).toEqual({ name: 'done', value: [MACHINE] });
  });

  it('[J2] has fingerprints without invisible characters', async () => {
    relayAnswers(200, { machines: [{ ...MACHINE, fingerprint: 'a\u202eb\u0007' }] });
    const answer = await listMachines();
    expect(JSON.stringify(answer)).not.toMatch(/\u202e|\\u0007/);
  });

  it.each([
    ['a name that would be another path', { machines: [{ ...MACHINE, name: '../owner/login' }] }],
    ['a time that is none', { machines: [{ ...MACHINE, joinedAt: 'yesterday' }] }],
    ['a fingerprint without end', { machines: [{ ...MACHINE, fingerprint: 'a'.repeat(129) }] }],
    ['more machines than a relay has', { machines: Array.from({ length: 1001 }, () => MACHINE) }],
    ['no list', {}],
  ])('[J2] with %s is not taken', async (_, body) => {
    relayAnswers(200, body);
    expect(await listMachines()).toEqual({
      name: 'failed',
      sentence: expect.stringMatching(/cannot read/),
    });
  });

  it('[J2] says that the login has ended, and what else is wrong', async () => {
    relayAnswers(401, { error: { code: 'unauthorized', message: 'No.' } });
    expect(await listMachines()).toEqual({ name: 'ended' });
    relayAnswers(503, { error: { code: 'busy', message: 'Try again later.' } });
    expect(await listMachines()).toEqual({ name: 'failed', sentence: 'Try again later.' });
    vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')));
    expect(await listMachines()).toEqual({ name: 'failed', sentence: 'The relay cannot be reached.' });
  });
});

describe("the owner's requests", () => {
  it('[J2] a refused link is explained by the first sentence', async () => {
    relayAnswers(401, { error: { code: 'unauthorized', message: 'This link has been used. Make another.' } });
    expect(await logInOwner('Link abc')).toEqual({ name: 'refused', sentence: 'This link has been used.' });
    relayAnswers(400, { error: { code: 'insecure', message: 'Log in over https: it is safer. Really.' } });
    expect(await logInOwner('Link abc')).toEqual({
      name: 'failed',
      sentence: 'Log in over https: it is safer. Really.',
    });
  });

  it('[J2] an invite is a line whose code a shell cannot read as something else', async () => {
    const code = 'aB3_-xYz'.repeat(5);
    relayAnswers(201, { code, expiresAt: MACHINE.joinedAt });
    expect(await inviteMachine()).toEqual({ name: 'done', value: code });
    expect(joinLine('https://relay.example', code)).toBe(`holdfast join https://relay.example '#${code}'`);
    relayAnswers(201, { code: `${code}'; rm -rf ~ '`, expiresAt: MACHINE.joinedAt });
    expect(await inviteMachine()).toMatchObject({ name: 'failed' });
  });

  it('[J2] without a valid token, no workspace is entered', async () => {
    relayAnswers(201, { token: 'a b' });
    expect(await enterMachine('build-7')).toMatchObject({ name: 'failed' });
    expect(asked).toEqual(['POST /api/owner/machines/build-7/links']);
  });

  it('[J2] a removal needs no content in the answer', async () => {
    relayAnswers(204, null);
    expect(await removeMachine('build-7')).toEqual({ name: 'done', value: null });
    expect(asked).toEqual(['DELETE /api/owner/machines/build-7']);
  });
});
