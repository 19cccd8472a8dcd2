/** The findings of `holdfast agent doctor`; docs/cli.md shows it on a machine without problems. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../../cli/relay/mint-token.ts';
import { judgeKey, type Pin } from '../../../vm-agent/doctor/check-key.ts';
import {
  checkLocale,
  checkOpenFiles,
  checkShell,
  checkStateDirectory,
  checkUser,
  judgeLocale,
} from '../../../vm-agent/doctor/check-machine.ts';
import { checkClock, checkRelay } from '../../../vm-agent/doctor/check-relay.ts';
import { checkToken } from '../../../vm-agent/doctor/check-token.ts';
import { AgentKey } from '../../../vm-agent/identity/agent-key.ts';
import type { KeyReading } from '../../../vm-agent/identity/key-file.ts';
import { readConfig } from '../../../vm-agent/settings/config.ts';
import { SECRET } from '../../support/test-relay.ts';
import { World } from '../../support/world.ts';

const NOW = new Date();
const DAY_S = 86_400;
const dir = mkdtempSync(join(tmpdir(), 'holdfast-doctor-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const token = (more: object = {}) =>
  mintToken({ workspace: 'w', role: 'agent', lifetimeSeconds: 30 * DAY_S, ...more }, SECRET);
const reading = (text: string) => ({ ok: true, token: text }) as const;
const config = (more: Record<string, string> = {}) =>
  readConfig([], { HOLDFAST_RELAY: 'http://x', HOLDFAST_WORKSPACE: 'w', HOLDFAST_TOKEN_FILE: '/t', ...more });

describe('the key check', () => {
  const key = new AgentKey(AgentKey.makeSecret());
  const had: KeyReading = { kind: 'key', key };
  const missing: KeyReading = { kind: 'missing' };
  const damaged: KeyReading = { kind: 'unusable', why: 'is damaged' };
  const none: Pin = { kind: 'none' };
  const mine: Pin = { kind: 'pinned', fingerprint: key.fingerprint };
  const other: Pin = { kind: 'pinned', fingerprint: 'SHA256:other' };

  it.each<[name: string, KeyReading, Pin, repin: boolean, verdict: string, says: RegExp]>([
    ['known', had, mine, false, 'ok', /which the relay has pinned/],
    ['new', had, none, false, 'ok', /the relay will pin it/],
    ['unknown to an older relay', had, { kind: 'unknown' }, false, 'ok', /does not report a pinned key/],
    [
      'another',
      had,
      other,
      false,
      'fail',
      /not the key that the relay has pinned, SHA256:other: .*--repin.*reset/,
    ],
    ['another, with a token for it', had, other, true, 'ok', /lets it replace SHA256:other/],
    ['not there yet', missing, none, false, 'ok', /the agent creates it/],
    ['lost', missing, other, false, 'fail', /has pinned SHA256:other: .*--repin.*reset/],
    ['not there yet, with a token for it', missing, other, true, 'ok', /the agent creates it/],
    ['damaged', damaged, none, false, 'warn', /is damaged/],
    ['damaged and needed', damaged, mine, false, 'fail', /is damaged/],
  ])('[AK8] %s', (_, keyReading, pin, repin, verdict, says) => {
    const found = judgeKey('/k', keyReading, pin, repin);
    expect([found.verdict, found.sentence]).toEqual([verdict, expect.stringMatching(says)]);
  });
});

describe('the token check', () => {
  it.each([
    { more: {}, verdict: 'ok', says: /^agent token for "w", valid until / },
    { more: { lifetimeSeconds: DAY_S }, verdict: 'warn', says: /expires at .*replace the file/ },
    {
      more: { lifetimeSeconds: -60 },
      verdict: 'fail',
      says: /^The token expired at .*this machine's clock says /,
    },
    { more: { role: 'operator' }, verdict: 'fail', says: /for the role "operator"; an agent needs/ },
    {
      more: { workspace: 'other' },
      verdict: 'fail',
      says: /for the workspace "other", and HOLDFAST_WORKSPACE is "w"/,
    },
  ])('$more is $verdict', async ({ more, verdict, says }) => {
    const found = checkToken(reading(await token(more)), 'w', NOW);
    expect([found.verdict, found.sentence]).toEqual([verdict, expect.stringMatching(says)]);
  });

  it('needs a Holdfast token', () => {
    expect(checkToken(reading('nonsense'), 'w', NOW)).toMatchObject({ verdict: 'fail' });
    expect(checkToken({ ok: false, why: 'It is empty.' }, 'w', NOW).sentence).toBe('It is empty.');
  });
});

describe('the relay check', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
    await world.client();
  });
  afterAll(async () => world[Symbol.asyncDispose]());
  const look = async (relay: string, text: string) =>
    (await checkRelay({ relay, workspace: 'test' }, reading(text), () => new Date())).map(
      ({ verdict, about, sentence }) => `${verdict} ${about}: ${sentence}`,
    );

  it('[RL1] passes if the relay accepts the token, and does not replace the running agent', async () => {
    const before = await world.health();
    const found = await look(world.relay.url.href, await world.relay.token('agent'));
    expect(found).toEqual([
      expect.stringMatching(/^ok relay: .* answers in \d+ ms/),
      'ok admission: the relay accepts the token',
      expect.stringMatching(/^ok clock: agrees with the relay's within \d+ s$/),
    ]);
    expect((await world.health()).agent).toEqual(before.agent);
  });

  it('reports why a token is refused', async () => {
    const found = await look(world.relay.url.href, await token({ workspace: 'other' }));
    expect(found[1]).toBe('fail admission: The relay answers 403: This token is for another workspace.');
  });

  it('fails if nothing answers, or something other than a relay', async () => {
    expect(await look('http://127.0.0.1:9', 't')).toEqual([
      expect.stringMatching(/^fail relay: .* cannot be reached: .*Check|Nothing listens there/),
    ]);
    const stranger = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => stranger.once('listening', resolve));
    const { port } = stranger.address() as AddressInfo;
    expect(await look(`http://127.0.0.1:${port}`, 't')).toEqual([
      expect.stringMatching(/is not a Holdfast relay/),
    ]);
    stranger.close();
  });

  it('fails if the answer never ends', async () => {
    const endless = createServer((_request, response) => {
      const more = () =>
        void (response.write('x'.repeat(65_536)) ? setImmediate(more) : response.once('drain', more));
      more();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => endless.once('listening', resolve));
    const { port } = endless.address() as AddressInfo;
    expect(await look(`http://127.0.0.1:${port}`, 't')).toEqual([
      expect.stringMatching(/is not a Holdfast relay/),
    ]);
    endless.closeAllConnections();
    endless.close();
  });

  it.each([
    [0, 'ok'],
    [20, 'ok'],
    [40, 'warn'],
    [-3600, 'warn'],
  ])('a clock %s s off gives %s', (seconds, verdict) => {
    const there = new Date(Math.floor(NOW.getTime() / 1000) * 1000);
    expect(checkClock(there.toUTCString(), new Date(there.getTime() + seconds * 1000)).verdict).toBe(verdict);
    expect(checkClock(null, NOW).verdict).toBe('ok');
  });
});

describe('the machine check', () => {
  it.each([
    { env: { SHELL: '/bin/sh', HOME: '/' }, verdict: 'ok', says: /\/bin\/sh runs in a terminal, in \// },
    {
      env: { SHELL: '/bin/false', HOME: '/' },
      verdict: 'fail',
      says: /ended with code 1 before it ran a command/,
    },
    { env: { SHELL: '/nowhere/sh', HOME: '/' }, verdict: 'fail', says: /does not exist/ },
    {
      env: { SHELL: '/bin/sh', HOME: '/nowhere' },
      verdict: 'fail',
      says: /the directory "\/nowhere" does not exist/,
    },
  ])('a shell with $env gives $verdict', async ({ env, verdict, says }) => {
    const found = await checkShell(env);
    expect([found.verdict, found.sentence]).toEqual([verdict, expect.stringMatching(says)]);
  });

  it('warns about a locale that is not installed; an unset one becomes UTF-8', async () => {
    expect(judgeLocale('xx_XX.UTF-8', 'ANSI_X3.4-1968').verdict).toBe('warn');
    expect(judgeLocale('C.UTF-8', 'UTF-8').verdict).toBe('ok');
    expect(judgeLocale('C.UTF-8', null).verdict).toBe('ok');
    expect((await checkLocale({ PATH: process.env.PATH })).sentence).toMatch(/UTF-8/);
  });

  it.each([
    [256, 'warn'],
    [384, 'ok'],
    [null, 'ok'],
  ])('%s open files give %s for 64 sessions', (limit, verdict) => {
    expect(checkOpenFiles(limit, config()).verdict).toBe(verdict);
  });

  it('needs a state directory that is writable, private and has space', () => {
    const place = join(dir, 'state');
    mkdirSync(place, { mode: 0o700 });
    const found = (more: Record<string, string>) => checkStateDirectory(config(more)).verdict;
    expect(found({})).toBe('ok');
    expect(found({ PTY_STATE_DIR: place, PTY_STATE_QUOTA: '1048576' })).toBe('ok');
    expect(found({ PTY_STATE_DIR: join(dir, 'to-be-made'), PTY_STATE_QUOTA: '1048576' })).toBe('ok');
    expect(found({ PTY_STATE_DIR: place, PTY_STATE_QUOTA: String(2 ** 40) })).toBe('warn');
    chmodSync(place, 0o755);
    expect(found({ PTY_STATE_DIR: place, PTY_STATE_QUOTA: '1048576' })).toBe('warn');
    expect(found({ PTY_STATE_DIR: '/nowhere/at/all' })).toBe('fail');
  });

  it('warns about root', () => {
    expect([checkUser(0).verdict, checkUser(1000).verdict]).toEqual(['warn', 'ok']);
  });
});
