/** `holdfast relay` on a server: with its own TLS, behind a proxy, restarted, killed. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { mintToken } from '../../cli/relay/mint-token.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts';
import { DeskTerminal, holdfast } from '../support/holdfast-command.ts';
import { miniflareOptions } from '../support/miniflare-relay.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { TlsFront } from '../support/tls-front.ts';
import { World } from '../support/world.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-relay-command-'));
const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};
const cert = file('cert.pem', CERTIFICATE);
const key = file('key.pem', CERTIFICATE_KEY);
const secret = 'a secret of more than thirty-two bytes for this test';
const secretFile = file('secret', secret);

const running: DeskTerminal[] = [];
afterEach(async () => {
  for (const desk of running.splice(0)) {
    const family = familyOf(desk.pid);
    desk.presses('\x03');
    await gone(family);
  }
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** In a window, once it listens; the address that it printed. */
async function relay(...args: string[]): Promise<{ desk: DeskTerminal; url: URL }> {
  const desk = new DeskTerminal(
    ['relay', '--port', '0', '--state-dir', join(dir, 'state'), ...args],
    {},
    {
      size: { cols: 300, rows: 24 },
    },
  );
  running.push(desk);
  const [, address = ''] = await Promise.race([
    desk.screen.sees(/^Relay at (\S+), state in .*\nTokens: /m),
    desk.ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${desk.screen.text}`))),
  ]);
  return { desk, url: new URL(address) };
}

describe('holdfast relay', () => {
  it('[GT10] accepts tokens of the previous secret, from a given file or from its directory, until the file is removed', async () => {
    const old = 'the secret before, of more than thirty-two bytes, for this test';
    const oldFile = file('old-secret', old);
    const state = join(dir, 'rotating');
    mkdirSync(state, { mode: 0o700 });
    const token = await mintToken({ workspace: 'test', role: 'operator', lifetimeSeconds: 60 }, old);
    const statusAt = async (...args: string[]) => {
      const { desk, url } = await relay('--state-dir', state, '--secret-file', secretFile, ...args);
      const headers = { Authorization: `Bearer ${token}` };
      const { status } = await fetch(new URL('/api/workspaces/test/health', url), { headers });
      const family = familyOf(desk.pid);
      desk.presses('\x03');
      await gone(family);
      return status;
    };
    expect(await statusAt()).toBe(401);
    expect(await statusAt('--previous-secret-file', oldFile)).toBe(200);
    writeFileSync(join(state, 'relay-secret-previous'), old, { mode: 0o600 });
    expect(await statusAt()).toBe(200);
  });

  it('serves https with --cert and --key, to browsers, agents and this command', async () => {
    const { url } = await relay('--cert', cert, '--key', key, '--secret-file', secretFile);
    expect(url.protocol).toBe('https:');
    const health = await new Promise<number>((resolve) => {
      request(new URL('/health', url), { ca: CERTIFICATE }, (answer) =>
        resolve(answer.statusCode ?? 0),
      ).end();
    });
    expect(health).toBe(200);
    const token = await mintToken({ workspace: 'w', role: 'operator', lifetimeSeconds: 60 }, secret);
    const env = { HOLDFAST_RELAY: url.href, HOLDFAST_WORKSPACE: 'w', HOLDFAST_TOKEN: token };
    const trusting = await holdfast(['ls'], { env: { ...env, NODE_EXTRA_CA_CERTS: cert } });
    expect([trusting.code, trusting.err]).toEqual([0, expect.stringContaining('the machine is offline')]);
    const wary = await holdfast(['ls'], { env });
    expect([wary.code, wary.err]).toEqual([69, expect.stringMatching(/self-signed certificate/)]);
  });

  it('protects its secret, runs only once per directory, and stops everything it started', async () => {
    const { desk } = await relay();
    expect(statSync(join(dir, 'state', 'relay-secret')).mode & 0o777).toBe(0o600);
    const second = await holdfast(['relay', '--port', '0', '--state-dir', join(dir, 'state')]);
    expect([second.code, second.err]).toEqual([1, expect.stringMatching(/is in use by the process/)]);
    const family = familyOf(desk.pid);
    expect(family.map(({ name }) => name).join(' ')).toMatch(/workerd/);
    desk.presses('\x03');
    expect(await desk.ended).toBe(0);
    await gone(family);
  });

  it('exits when workerd does, so that a supervisor can restart it', async () => {
    const { desk } = await relay();
    const workerd = familyOf(desk.pid).find(({ name }) => name.startsWith('workerd'));
    process.kill(workerd?.pid ?? Number.NaN, 'SIGKILL');
    expect(await desk.ended).toBe(1);
    expect(desk.screen.text).toMatch(/the relay has ended \(SIGKILL\)/);
    running.splice(0);
  });

  it('stops workerd even when it is killed with SIGKILL', async () => {
    const { desk } = await relay();
    const family = familyOf(desk.pid);
    expect(family.map(({ name }) => name).join(' ')).toMatch(/workerd/);
    process.kill(desk.pid, 'SIGKILL');
    await gone(family);
    running.splice(0);
  });

  it('restarts the guard process that stops workerd if somebody kills it', async () => {
    const { desk } = await relay();
    const guard = () => familyOf(desk.pid).find(({ name }) => name === 'sh' || name === 'dash')?.pid;
    const first = guard();
    process.kill(first ?? Number.NaN, 'SIGKILL');
    await expect.poll(() => guard() !== first && guard() !== undefined).toBe(true);
    const family = familyOf(desk.pid);
    process.kill(desk.pid, 'SIGKILL');
    await gone(family);
    running.splice(0);
  });

  it('opens a state directory of an earlier version', async () => {
    const stateDir = join(dir, 'earlier');
    mkdirSync(stateDir, { mode: 0o700 });
    // Earlier versions ran the relay on Miniflare.
    const before = new Miniflare(
      await miniflareOptions({ host: '127.0.0.1', port: 0, stateDir: join(stateDir, 'relay'), secret }),
    );
    const revoked = await mintToken({ workspace: 'w', role: 'operator', lifetimeSeconds: 60 }, secret);
    const good = await mintToken({ workspace: 'w', role: 'operator', lifetimeSeconds: 60 }, secret);
    const jti = JSON.parse(Buffer.from(revoked.split('.')[1] ?? '', 'base64url').toString()).jti;
    const revocation = await fetch(new URL('/api/workspaces/w/revocations', await before.ready), {
      method: 'POST',
      headers: { Authorization: `Bearer ${good}` },
      body: JSON.stringify({ jti }),
    });
    expect(revocation.status).toBe(204);
    await before.dispose();
    const { url } = await relay('--state-dir', stateDir, '--secret-file', secretFile);
    const health = async (token: string) =>
      (
        await fetch(new URL('/api/workspaces/w/health', url), {
          headers: { Authorization: `Bearer ${token}` },
        })
      ).status;
    expect([await health(good), await health(revoked)]).toEqual([200, 401]);
  });

  it('warns about what does not work on other machines without TLS', async () => {
    const { desk } = await relay('--host', '0.0.0.0');
    expect(desk.screen.text).toMatch(
      /listens on 0\.0\.0\.0 over plain http\. Browsers of other machines cannot log in/,
    );
  });
});

describe('behind a proxy that terminates TLS', () => {
  it('[GT4] a browser logs in and gets a shell that a reload restores', async () => {
    await using front = await TlsFront.start();
    await using world = await World.open(
      {},
      await TestRelay.onWorkerd({ settings: { RELAY_PUBLIC_URL: front.url.origin } }),
    );
    front.target = world.relay.url;
    const context = await world.browserContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`${front.url.origin}/w/test?renderer=dom#token=${await world.relay.token('operator')}`);
    await terminalOf(page).types('echo $((6*7))\n');
    await terminalOf(page).shows(/^42$/m);
    await page.reload();
    await terminalOf(page).shows(/^42$/m);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({
      name: '__Host-holdfast-test',
      secure: true,
      httpOnly: true,
      sameSite: 'Strict',
    });
  });
});
