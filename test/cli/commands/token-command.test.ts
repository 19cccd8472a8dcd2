/** `holdfast token` on the command line. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readLifetime } from '../../../cli/command-line/lifetime.ts';
import { dispatchCommand } from '../../../cli/commands/command-dispatch.ts';
import { readTokenFile } from '../../../node/token-file.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';

const command = fileURLToPath(new URL('../../../cli/bin.mjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'holdfast-token-'));
afterAll(() => rmSync(dir, { recursive: true }));

const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};

function holdfast(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out: out.trim(), err }),
    );
  });
}

const WANTED = ['token', '--workspace', 'test', '--role', 'operator', '--expires', '15m'];
const enters = async (relay: TestRelay, token: string) =>
  (
    await fetch(new URL('/api/workspaces/test/health', relay.url), {
      headers: { Authorization: `Bearer ${token}` },
    })
  ).status;

describe('holdfast token', () => {
  it('[X16] sets name, audience and issuer from flags or from the settings of the relay', async () => {
    const secret = file('secret-16', SECRET);
    await using relay = await TestRelay.onWorkerd({
      settings: { RELAY_AUDIENCE: 'terminals, others', RELAY_ISSUER: 'https://login.example' },
    });
    const claims = ['--audience', 'terminals', '--issuer', 'https://login.example', '--name', 'Ada'];
    const { out } = await holdfast(...WANTED, '--secret-file', secret, ...claims);
    expect(JSON.parse(Buffer.from(out.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      aud: 'terminals',
      iss: 'https://login.example',
      sub: 'Ada',
    });
    expect(await enters(relay, out)).toBe(200);
    const plain = await holdfast(...WANTED, '--secret-file', secret);
    expect(await enters(relay, plain.out)).toBe(401);
    vi.stubEnv('RELAY_AUDIENCE', 'terminals, others');
    vi.stubEnv('RELAY_ISSUER', 'https://login.example');
    const told = await holdfast(...WANTED, '--secret-file', secret);
    vi.unstubAllEnvs();
    expect(await enters(relay, told.out)).toBe(200);
    const long = await holdfast(...WANTED, '--secret-file', secret, '--name', 'a'.repeat(257));
    expect([long.code, long.err]).toEqual([
      2,
      expect.stringMatching(/--name needs 1 to 256 printable characters/),
    ]);
  });

  it('[U15] --out writes a file that only its owner can read, also over one that others could read, and prints nothing', async () => {
    const out = join(dir, 'token-15');
    writeFileSync(out, 'an old one', { mode: 0o644 });
    const secret = file('secret-15', SECRET);
    const made = await holdfast(...WANTED, '--secret-file', secret, '--out', out);
    expect(made).toEqual({ code: 0, out: '', err: '' });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readTokenFile(out)).toMatchObject({
      ok: true,
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
  });

  it('[U15] --out prints one sentence and exits with 1 if the file cannot be written', async () => {
    const out = join(dir, 'no-such-directory', 'token');
    const made = await holdfast(...WANTED, '--secret-file', file('secret-15', SECRET), '--out', out);
    expect([made.code, made.out, made.err]).toEqual([
      1,
      '',
      `holdfast token: cannot write ${out} (ENOENT)\n`,
    ]);
  });

  it('[GT2] makes a token that the relay accepts, with a secret and with a key', async () => {
    const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    await using relay = await TestRelay.onWorkerd({
      settings: { RELAY_PUBLIC_KEY: await exportSPKI(pair.publicKey) },
    });
    const bySecret = await holdfast(...WANTED, '--secret-file', file('secret', `${SECRET}\n`));
    expect(await enters(relay, bySecret.out)).toBe(200);
    const key = file('key.pem', await exportPKCS8(pair.privateKey));
    const byKey = await holdfast(...WANTED, '--private-key-file', key, '--region', 'weur', '--name', 'Ada');
    expect(await enters(relay, byKey.out)).toBe(200);
    const claims = JSON.parse(Buffer.from(byKey.out.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      ws: 'test',
      role: 'operator',
      region: 'weur',
      sub: 'Ada',
      exp: claims.iat + 900,
    });
  });

  it.each([
    { args: ['token'], says: /--workspace needs/ },
    { args: ['token', '--workspace', 'a b'], says: /--workspace needs/ },
    { args: ['token', '--workspace', 'test', '--role', 'root'], says: /--role must be/ },
    { args: [...WANTED, '--name', 'Ada\x1b[2J'], says: /--name needs 1 to 256 printable/ },
    { args: [...WANTED, '--name', 'x'.repeat(257)], says: /--name needs 1 to 256 printable/ },
    {
      args: ['token', '--workspace', 'test', '--role', 'agent', '--expires', 'soon'],
      says: /--expires needs/,
    },
    { args: [...WANTED, '--repin'], says: /--repin needs --role agent/ },
    { args: WANTED, says: /one of --secret-file and --private-key-file/ },
    { args: [...WANTED, '--secret-file', '/nowhere'], says: /cannot be read \(ENOENT\)/ },
    { args: [...WANTED, '--secret-file', file('short', 'short')], says: /fewer than 32 bytes/ },
    { args: [...WANTED, '--secret', 'in-an-argument'], says: /Unknown option/ },
  ])('says in one sentence what is wrong with $args, and exits with 2', async ({ args, says }) => {
    const printed = vi.spyOn(console, 'log').mockReturnValue();
    const said = vi.spyOn(console, 'error').mockReturnValue();
    expect(await dispatchCommand(args)).toBe(2);
    expect(printed).not.toHaveBeenCalled();
    expect(said.mock.calls[0]?.[0]).toMatch(says);
    vi.restoreAllMocks();
  });

  it('prints a link for people, and refuses one for machines', async () => {
    const args = [...WANTED, '--secret-file', file('secret', SECRET), '--link', 'https://relay.example.com'];
    expect((await holdfast(...args)).out).toMatch(/^https:\/\/relay\.example\.com\/w\/test#token=[\w.-]+$/);
    const said = vi.spyOn(console, 'error').mockReturnValue();
    expect(await dispatchCommand([...args, '--role', 'agent'])).toBe(2);
    expect(said.mock.calls[0]?.[0]).toMatch(/--link needs --role operator or viewer/);
    vi.restoreAllMocks();
  });

  it.each([
    ['90s', 90],
    ['15m', 900],
    ['12h', 43_200],
    ['30d', 2_592_000],
  ])('reads %s as %s seconds', (text, seconds) => {
    expect(readLifetime(text)).toBe(seconds);
  });
});
