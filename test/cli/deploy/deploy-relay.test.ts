/** Which secrets a deploy makes and keeps, and when it is refused: the rules, without wrangler and the network. */
import { createPublicKey, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { deployRelay, plannedSecrets } from '../../../cli/deploy/deploy-relay.ts';
import { type Wrangler, WranglerFailure } from '../../../cli/deploy/wrangler.ts';
import { keepOwner } from '../../../cli/owner/owner-key.ts';
import type { Clock } from '../../../protocol/clock.ts';
import { OWNER_PROOF_TYPE } from '../../../protocol/owner.ts';

const ADDRESS = 'https://holdfast.you.workers.dev';
const root = mkdtempSync(join(tmpdir(), 'holdfast-deploys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** An account with at most one Worker, and the relay in it. */
class Account implements Wrangler {
  loggedIn = true;
  targets: readonly string[] = [ADDRESS];
  /** Null if there is no Worker yet. */
  secrets: Record<string, string> | null = null;
  deploys = 0;
  refusesSecrets = false;
  /** What the relay answers before it works: a status, or nothing at all. */
  before: (number | null)[] = [];
  asked = 0;
  said: string[] = [];

  isLoggedIn = async () => this.loggedIn;
  secretNames = async () => (this.secrets === null ? null : new Set(Object.keys(this.secrets)));
  rehearse = async () => ['rehearsed'];

  async deploy() {
    this.deploys += 1;
    this.secrets ??= {};
    return this.targets;
  }

  async putSecrets(_worker: string, secrets: Readonly<Record<string, string>>) {
    if (this.refusesSecrets) throw new WranglerFailure('refused', []);
    this.secrets = { ...this.secrets, ...secrets };
  }

  fetch = async (url: URL, { headers, redirect }: RequestInit) => {
    this.asked += 1;
    const status = this.before.shift();
    if (status === null) throw new TypeError('fetch failed', { cause: new Error('ENOTFOUND') });
    if (status !== undefined) return new Response('not here', { status });
    expect([url.href, redirect]).toEqual([`${ADDRESS}/api/owner/links`, 'error']);
    const { Authorization = '' } = headers as Record<string, string>;
    const isProven = isProof(Authorization, this.secrets?.RELAY_OWNER_KEY ?? '');
    const body = { code: `code-${this.asked}`, expiresAt: new Date().toISOString() };
    return isProven ? Response.json(body, { status: 201 }) : Response.json({}, { status: 401 });
  };
}

function isProof(header: string, publicKey: string): boolean {
  const [, head = '', claims = '', signature = ''] = /^Owner ([^.]+)\.([^.]+)\.([^.]+)$/.exec(header) ?? [];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  if (read(head).typ !== OWNER_PROOF_TYPE || read(claims).aud !== ADDRESS) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  return verify(null, Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'));
}

/** Nobody waits: each pause is over at once, and the clock has advanced by it. */
function hurriedClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after(ms, task) {
      now += ms;
      queueMicrotask(task);
      return () => {};
    },
  };
}

let count = 0;
function machine() {
  const stateDir = join(root, `${count++}`, 'relays', 'holdfast');
  const deploy = (account: Account, resetsOwner = false) =>
    deployRelay(
      { worker: 'holdfast', stateDir, resetsOwner },
      {
        wrangler: account,
        fetch: account.fetch,
        clock: hurriedClock(),
        say: (line) => account.said.push(line),
      },
    );
  return { deploy, stateDir, file: join(stateDir, 'owner.json') };
}

describe('a first deploy', () => {
  it('[J4] makes the secret and the owner, stores both, and answers with a link', async () => {
    const account = new Account();
    const { deploy, file } = machine();
    expect(await deploy(account)).toBe(`${ADDRESS}/#owner=code-1`);
    const { x, relay } = JSON.parse(readFileSync(file, 'utf8'));
    expect(account.secrets).toEqual({
      RELAY_SECRET: expect.stringMatching(/^[\w-]{43}$/),
      RELAY_OWNER_KEY: x,
    });
    expect([relay, statSync(file).mode & 0o777]).toEqual([ADDRESS, 0o600]);
  });

  it('[J4] makes another secret each time, and neither says it nor the private key', async () => {
    const [one, other] = [new Account(), new Account()];
    const { deploy, file } = machine();
    await deploy(one);
    await machine().deploy(other);
    const secret = one.secrets?.RELAY_SECRET ?? '';
    expect(other.secrets?.RELAY_SECRET).not.toBe(secret);
    const said = one.said.join('\n');
    expect(said).toMatch(/made and stored RELAY_SECRET and RELAY_OWNER_KEY/);
    expect(said).not.toContain(secret);
    expect(said).not.toContain(JSON.parse(readFileSync(file, 'utf8')).d);
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
  });

  it('[J4] waits until the relay answers, whatever answers before, and says so once', async () => {
    const account = new Account();
    account.before = [null, 404, 500, 401, 530];
    expect(await machine().deploy(account)).toBe(`${ADDRESS}/#owner=code-6`);
    expect(account.said.filter((line) => line.includes('waiting until'))).toEqual([
      `holdfast: waiting until ${ADDRESS} answers; a new address can take some minutes`,
    ]);
  });

  it.each([
    [null, 'ENOTFOUND'],
    [404, 'it answered 404'],
    [401, 'it answered 401'],
  ])(
    '[J4] gives up after some minutes of %s, and says that the same command asks again',
    async (status, why) => {
      const account = new Account();
      account.before = Array.from({ length: 1000 }, () => status);
      await expect(machine().deploy(account)).rejects.toMatchObject({
        message: `the relay is deployed, but ${ADDRESS} gives no link (${why}); the same command asks again`,
        exitCode: 69,
      });
      expect(account.asked).toBe(91);
    },
  );

  it.each([
    [{}],
    [{ code: 7 }],
    [{ code: 'a b' }],
    [{ code: 'x\x1b[2J' }],
    [{ code: 'x'.repeat(513) }],
    [null],
    [{ code: 'good', more: 'x'.repeat(20_000) }],
  ])('[J4] does not print a link made of %j', async (body) => {
    const account = new Account();
    account.fetch = async () => Response.json(body, { status: 201 });
    await expect(machine().deploy(account)).rejects.toThrow(/gives no link/);
  });
});

describe('a later deploy', () => {
  it('[J4] keeps the secret and the owner, and answers with a new link', async () => {
    const account = new Account();
    const { deploy, file } = machine();
    await deploy(account);
    const [secrets, key] = [account.secrets, readFileSync(file, 'utf8')];
    expect(await deploy(account)).toBe(`${ADDRESS}/#owner=code-2`);
    expect([account.secrets, readFileSync(file, 'utf8')]).toEqual([secrets, key]);
    expect(account.deploys).toBe(2);
  });

  it('[J4] of a relay that was deployed by hand keeps its secret and gives it an owner', async () => {
    const account = new Account();
    account.secrets = { RELAY_SECRET: 'made by hand', RELAY_PUBLIC_KEY: 'x' };
    await machine().deploy(account);
    expect(account.secrets).toEqual({
      RELAY_SECRET: 'made by hand',
      RELAY_PUBLIC_KEY: 'x',
      RELAY_OWNER_KEY: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('[J4] stores the same key again if storing it failed before', async () => {
    const account = new Account();
    const { deploy, file } = machine();
    account.refusesSecrets = true;
    await expect(deploy(account)).rejects.toThrow('refused');
    const { x } = JSON.parse(readFileSync(file, 'utf8'));
    account.refusesSecrets = false;
    await deploy(account);
    expect(account.secrets?.RELAY_OWNER_KEY).toBe(x);
  });

  it("[J4] where the owner's key is missing changes nothing, and says what to do", async () => {
    const account = new Account();
    await machine().deploy(account);
    const before = account.secrets;
    const { deploy, file } = machine();
    await expect(deploy(account)).rejects.toThrow(
      `holdfast has an owner whose key is not in ${file}, so nothing was deployed; run this where it was deployed before, or with --reset-owner`,
    );
    expect([account.deploys, account.secrets, existsSync(file)]).toEqual([1, before, false]);
  });

  it('[J4] with the key of another owner says so at once', async () => {
    const account = new Account();
    await machine().deploy(account);
    const { deploy, stateDir, file } = machine();
    await keepOwner(stateDir);
    await expect(deploy(account)).rejects.toMatchObject({
      message: expect.stringContaining(`its owner has another key than the one in ${file}; run this where`),
      exitCode: 77,
    });
    expect(account.asked).toBe(2);
  });

  it('[J4] with --reset-owner replaces the owner, and keeps the secret', async () => {
    const account = new Account();
    await machine().deploy(account);
    const before = account.secrets;
    const { deploy, file } = machine();
    expect(await deploy(account, true)).toBe(`${ADDRESS}/#owner=code-2`);
    const first = readFileSync(file, 'utf8');
    expect(account.secrets?.RELAY_OWNER_KEY).not.toBe(before?.RELAY_OWNER_KEY);
    await deploy(account, true);
    expect(readFileSync(file, 'utf8')).not.toBe(first);
    expect(account.secrets?.RELAY_SECRET).toBe(before?.RELAY_SECRET);
  });
});

describe('a deploy that is refused', () => {
  it('[J4] because nobody is logged in says how to', async () => {
    const account = new Account();
    account.loggedIn = false;
    await expect(machine().deploy(account)).rejects.toThrow(
      'nobody is logged in to Cloudflare here; run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN',
    );
    expect(account.deploys).toBe(0);
  });

  it('[J4] because the relay got no address says what to set', async () => {
    const account = new Account();
    account.targets = ['schedule: * * * * *'];
    await expect(machine().deploy(account)).rejects.toThrow(
      /names no address for it; set workers_dev = true or a custom domain/,
    );
  });
});

describe('a rehearsal', () => {
  it('[J4] says what a deploy would do with the secrets, and makes no key', async () => {
    const { stateDir, file } = machine();
    const plan = (resetsOwner: boolean) => plannedSecrets({ worker: 'holdfast', stateDir, resetsOwner });
    const secret = 'would make RELAY_SECRET and store it, unless the deployment has one';
    expect(await plan(false)).toEqual([secret, expect.stringMatching(/would make a key in .*owner\.json/)]);
    expect(existsSync(file)).toBe(false);
    await keepOwner(stateDir);
    expect(await plan(false)).toEqual([secret, expect.stringMatching(/the public half of the key in/)]);
    expect(await plan(true)).toEqual([secret, expect.stringMatching(/would replace RELAY_OWNER_KEY/)]);
  });
});
