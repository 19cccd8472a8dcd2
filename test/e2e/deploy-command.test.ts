/** `holdfast deploy` as it is installed, with a program in the place of wrangler and a server in that of the relay. */
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts';
import { holdfast } from '../support/holdfast-command.ts';
import { InstalledPackage } from '../support/installed-package.ts';
import { StandInAccount } from '../support/stand-in-account.ts';

let installed: InstalledPackage;
let account: StandInAccount;
let server: Server;
let origin: string;

beforeAll(async () => {
  installed = new InstalledPackage();
  server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) => {
    const isProven = provesOwner(request.headers.authorization ?? '');
    response.writeHead(isProven ? 201 : 401, { 'Content-Type': 'application/json' });
    response.end(isProven ? '{"code":"login-code","expiresAt":"2026-11-16T12:00:00.000Z"}' : '{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  installed[Symbol.dispose]();
});
beforeEach(() => {
  account = new StandInAccount({ targets: [origin] });
  writeFileSync(join(account.dir, 'certificate.pem'), CERTIFICATE);
  mkdirSync(join(account.dir, 'tmp'));
});
afterEach(() => account[Symbol.dispose]());

/** As a relay checks it, with the key that it was given; all relays here have this one server. */
function provesOwner(header: string): boolean {
  const [, text = '', signature = ''] = /^Owner (.+)\.(.+)$/.exec(header) ?? [];
  return Object.values(account.state.workers).some(({ RELAY_OWNER_KEY: x = '' }) => {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  });
}

const deploy = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  holdfast(['deploy', ...args], {
    bin: installed.bin,
    cwd: account.dir,
    env: {
      PATH: `${account.bin}:/usr/bin:/bin`,
      HOME: account.dir,
      TMPDIR: join(account.dir, 'tmp'),
      NODE_EXTRA_CA_CERTS: join(account.dir, 'certificate.pem'),
      ...env,
    },
  });

const ownerFile = (worker = 'holdfast') => join(account.dir, `.config/holdfast/relays/${worker}/owner.json`);

describe('holdfast deploy', () => {
  it('[J4] deploys, makes the secrets, and prints one link', async () => {
    const { code, out, err } = await deploy();
    expect({ code, out }, err).toEqual({ code: 0, out: `${origin}/#owner=login-code\n` });
    expect(err.split('\n')).toEqual([
      'holdfast: deploying holdfast …',
      'holdfast: made and stored RELAY_SECRET and RELAY_OWNER_KEY',
      `holdfast: deployed to ${origin}; the owner's key is in ${ownerFile()}`,
      '',
    ]);
    expect(account.calls.map(({ args }) => args.slice(0, 2).join(' '))).toEqual([
      'whoami --json',
      'secret list',
      'deploy --name',
      'secret bulk',
    ]);
  });

  it('[J4] keeps the secret out of arguments, environments, files and what is printed', async () => {
    const { out, err } = await deploy();
    const { RELAY_SECRET = '', RELAY_OWNER_KEY } = account.state.workers.holdfast ?? {};
    const { d, x } = JSON.parse(readFileSync(ownerFile(), 'utf8'));
    expect([RELAY_SECRET, RELAY_OWNER_KEY]).toEqual([expect.stringMatching(/^[\w-]{43}$/), x]);
    const bulk = account.calls.find(({ args }) => args[1] === 'bulk');
    expect(JSON.parse(bulk?.input ?? '')).toEqual({ RELAY_SECRET, RELAY_OWNER_KEY });
    const seen = JSON.stringify(account.calls.map(({ input: _, ...rest }) => rest)) + out + err;
    expect(seen).not.toContain(RELAY_SECRET);
    expect(seen).not.toContain(d);
    expect(readFileSync(ownerFile(), 'utf8')).not.toContain(RELAY_SECRET);
    expect(statSync(ownerFile()).mode & 0o777).toBe(0o600);
  });

  it('[J4] gives wrangler what was built, and leaves no file behind', async () => {
    await deploy();
    const config = JSON.parse(account.calls[0]?.config ?? '');
    expect(config).not.toHaveProperty('build');
    expect(config).toMatchObject({
      main: join(installed.dir, 'dist/worker/index.js'),
      assets: { directory: join(installed.dir, 'dist/web') },
    });
    expect(readdirSync(join(account.dir, 'tmp'))).toEqual([]);
  });

  it('[J4] again keeps what is there and prints a link', async () => {
    await deploy();
    const [before, key] = [account.state.workers, readFileSync(ownerFile(), 'utf8')];
    const { code, out, err } = await deploy();
    expect({ code, out }, err).toEqual({ code: 0, out: `${origin}/#owner=login-code\n` });
    expect(err).not.toMatch(/made and stored/);
    expect([account.state.workers, readFileSync(ownerFile(), 'utf8')]).toEqual([before, key]);
  });

  it('[J4] with --reset-owner makes another key and keeps the secret', async () => {
    await deploy();
    const before = account.state.workers.holdfast;
    expect((await deploy(['--reset-owner'])).code).toBe(0);
    const after = account.state.workers.holdfast;
    expect(after?.RELAY_SECRET).toBe(before?.RELAY_SECRET);
    expect(after?.RELAY_OWNER_KEY).not.toBe(before?.RELAY_OWNER_KEY);
  });

  it('[J4] with --name deploys another relay, with a secret and an owner of its own', async () => {
    await deploy();
    expect((await deploy(['--name', 'other'])).code).toBe(0);
    const { holdfast: one, other } = account.state.workers;
    expect(other?.RELAY_SECRET).not.toBe(one?.RELAY_SECRET);
    expect(JSON.parse(readFileSync(ownerFile('other'), 'utf8')).x).toBe(other?.RELAY_OWNER_KEY);
    expect(JSON.parse(readFileSync(ownerFile(), 'utf8')).x).toBe(one?.RELAY_OWNER_KEY);
  });

  it('[J4] --dry-run asks no account, and says what would happen to the secrets', async () => {
    account.set({ loggedIn: false });
    const { code, out } = await deploy(['--dry-run']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Total Upload: 1 KiB\n[\s\S]*would make RELAY_SECRET[\s\S]*would make a key in /);
    expect(account.calls.map(({ args }) => args.slice(0, 4).join(' '))).toEqual([
      'deploy --name holdfast --dry-run',
    ]);
  });
});

describe('holdfast deploy that fails', () => {
  /** The sentence that is printed last. */
  const lastLine = (err: string) => err.trimEnd().split('\n').at(-1);

  it.each([
    [{ loggedIn: false }, 77, /^holdfast deploy: nobody is logged in .*`npx wrangler login`/],
    [{ fails: { whoami: 'x' } }, 1, /^holdfast deploy: wrangler cannot tell who is logged in/],
    [
      { fails: { deploy: 'x' } },
      1,
      /^holdfast deploy: wrangler could not deploy holdfast; correct what it says above, and run this again$/,
    ],
    [
      { fails: { 'secret bulk': 'x' } },
      1,
      /^holdfast deploy: .*could not store its secrets; .* run this again$/,
    ],
    [{ fails: { 'secret list': 'x' } }, 1, /^holdfast deploy: wrangler cannot list the secrets of holdfast/],
    [{ targets: [] }, 1, /^holdfast deploy: .*names no address for it; set workers_dev = true/],
    [
      { workers: { holdfast: { RELAY_OWNER_KEY: 'x' } } },
      1,
      /^holdfast deploy: holdfast has an owner whose key is not in .*--reset-owner/,
    ],
  ])('[J4] as with %j exits with %i and one sentence that says what to do', async (state, exit, sentence) => {
    account.set(state);
    const { code, out, err } = await deploy();
    expect({ code, out }, err).toEqual({ code: exit, out: '' });
    expect(lastLine(err)).toMatch(sentence);
  });

  it('[J4] quotes wrangler above the sentence, without what a terminal obeys', async () => {
    account.set({ fails: { deploy: 'first\n\x1b[2J\x1b]0;title\x07second\u202e' } });
    const { err } = await deploy();
    expect(err).toBe(
      [
        'holdfast: deploying holdfast …',
        '  ✘ [ERROR] first',
        '  second',
        'holdfast deploy: wrangler could not deploy holdfast; correct what it says above, and run this again',
        '',
      ].join('\n'),
    );
  });

  it("[J4] because the relay has another owner's key says so", async () => {
    await deploy();
    account.set({
      workers: { holdfast: { ...account.state.workers.holdfast, RELAY_OWNER_KEY: 'A'.repeat(43) } },
    });
    const { code, err } = await deploy();
    expect(code).toBe(77);
    expect(lastLine(err)).toMatch(/its owner has another key than the one in .*--reset-owner/);
  });

  it('[J4] without wrangler says which command installs it, in the version that we test with', async () => {
    const { code, err } = await deploy([], { PATH: '/usr/bin:/bin' });
    const { devDependencies } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(code).toBe(1);
    expect(err).toBe(
      `holdfast deploy: there is no wrangler here, which uploads to Cloudflare; install it with \`npm install -g wrangler@${devDependencies.wrangler}\`\n`,
    );
  });

  it.each(['../x', 'Upper', '', '-a', 'a'.repeat(64)])('[J4] refuses %j as a name', async (name) => {
    const { code, err } = await deploy([`--name=${name}`]);
    expect(code).toBe(2);
    expect(err).toMatch(/^holdfast deploy: the name of a Worker has 1 to 63 lower-case letters/);
    expect(account.calls).toEqual([]);
  });
});
