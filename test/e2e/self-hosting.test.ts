/** Runs the examples of docs/self-hosting.md: real proxies in front of a relay, and units read by systemd. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CERTIFICATE } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { openTerminal } from '../support/page-story.ts';
import { type ProxyKind, ReverseProxy } from '../support/reverse-proxy.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(file(path), 'utf8');

/** The first event of a stream, as soon as it has come through; the rest is not waited for. */
function firstEvent(url: URL, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    const asked = request(url, { ca: CERTIFICATE, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (more: string) => {
        text += more;
        if (!text.includes('\n\n')) return;
        resolve(text);
        answer.destroy();
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe.each<ProxyKind>(['nginx', 'caddy'])('behind %s, configured as in the example', (kind) => {
  const program = onPath(kind);

  it.skipIf(program === undefined)(
    `[GT4] a browser gets a shell that a reload restores, and a stream is not delayed${unlessMissing(kind, program)}`,
    async () => {
      const port = await freePort();
      const settings = { RELAY_PUBLIC_URL: `https://localhost:${port}` };
      await using world = await World.open({}, await TestRelay.onWorkerd({ settings }));
      await using proxy = await ReverseProxy.start(kind, program ?? '', port, world.relay.url);
      const context = await world.browserContext({ ignoreHTTPSErrors: true });
      const page = await openTerminal(world, { context, origin: proxy.url });
      await terminalOf(page).types('echo $((6*7))\n');
      await terminalOf(page).shows(/^42$/m);
      await page.reload();
      await terminalOf(page).shows(/^42$/m);
      expect(await context.cookies()).toMatchObject([{ name: '__Host-holdfast-test', secure: true }]);

      const api = await world.api();
      const { body } = await api.ask<{ sessions: { id: string }[] }>('GET', '/sessions');
      const stream = new URL(`/api/workspaces/test/sessions/${body.sessions[0]?.id}/stream`, proxy.url);
      expect(await firstEvent(stream, await world.relay.token('operator'))).toMatch(
        /^retry: \d+\nevent: snapshot\n/,
      );
    },
  );
});

describe('the systemd units', () => {
  const analyze = onPath('systemd-analyze');
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-units-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  it
    .skipIf(analyze === undefined)
    .each(['examples/self-hosting/holdfast-relay.service', 'vm-agent/install/holdfast-agent.service'])(
    `%s is valid for systemd${unlessMissing('systemd-analyze', analyze)}`,
    (path) => {
      // Programs that are not installed here are not part of the test.
      const unit = read(path).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
      const copy = join(dir, path.split('/').at(-1) ?? '');
      writeFileSync(copy, unit);
      const said = execFileSync('sh', ['-c', `'${analyze}' verify --man=no '${copy}' 2>&1`]).toString();
      expect(said.split('\n').filter((line) => line.includes(dir))).toEqual([]);
    },
  );
});

describe('the unit of the agent', () => {
  it('[K1] runs the keeper, replaces the agent on reload, and outlives a program that is out of memory', () => {
    const unit = read('vm-agent/install/holdfast-agent.service').split('\n');
    expect(unit).toEqual(
      expect.arrayContaining([
        'ExecStart=/usr/bin/node /opt/holdfast/agent/keeper.js',
        'ExecReload=/bin/kill -URG $MAINPID',
        'KillMode=mixed',
        'OOMPolicy=continue',
      ]),
    );
  });
});

describe('docs/self-hosting.md', () => {
  it.each(['nginx.conf', 'Caddyfile', 'holdfast-relay.service'])('quotes %s exactly', (name) => {
    const text = read(`examples/self-hosting/${name}`)
      .replace(/^#.*\n/, '')
      .trim();
    expect(read('docs/self-hosting.md')).toContain(text);
  });
});
