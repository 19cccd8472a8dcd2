/** `holdfast up` in a terminal and as a service, and `holdfast down`. npm-start.test.ts covers what they share. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RelayPlace } from '../../cli/local/relay-place.ts';
import { takeDown } from '../../cli/up/down-command.ts';
import { installUp } from '../../cli/up/up-service.ts';
import { ApiClient } from '../support/api-client.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { DeskTerminal, holdfast } from '../support/holdfast-command.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { StandInSystemd } from '../support/stand-in-systemd.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-up-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};

describe('holdfast up in a terminal', () => {
  const desks: DeskTerminal[] = [];
  afterEach(async () => {
    for (const desk of desks.splice(0)) {
      const family = familyOf(desk.pid);
      desk.presses('\x03');
      await gone(family);
    }
  });

  /** In a window, with an empty home; the link that it prints. */
  async function up(home: string, ...args: string[]): Promise<{ desk: DeskTerminal; link: string }> {
    const env = { HOME: home, SHELL: '/bin/sh' };
    const desk = new DeskTerminal(['up', '--port', '0', ...args], env, { size: { cols: 400, rows: 40 } });
    desks.push(desk);
    const [, link = ''] = await Promise.race([
      desk.screen.sees(/^Open (\S+)$/m),
      desk.ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${desk.screen.text}`))),
    ]);
    return { desk, link };
  }

  it('[J1] keeps its state in the home, and `holdfast down` says where it is stopped', async () => {
    const home = mkdtempSync(join(dir, 'home-'));
    const { desk, link } = await up(home);
    expect(desk.screen.text).toMatch(
      /^Starting the relay …\nStarting the agent …\nReady after [\d.]+ s\.\nOpen /,
    );
    expect((await ApiClient.withLink(link).ask('POST', '/sessions', {})).status).toBe(201);
    await desk.screen.sees(
      /^To log in as the owner, once, within 10 minutes: http:\S+#owner=[\w-]{43}\nTo let a machine join: holdfast invite$/m,
    );
    const state = join(home, '.config/holdfast/up');
    expect(readdirSync(state)).toEqual(
      expect.arrayContaining(['agent-token', 'owner.json', 'relay', 'relay-secret']),
    );
    await using systemd = new StandInSystemd();
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await takeDown(undefined, systemd.manager, state)).toBe(1);
    expect(said.mock.calls.join('\n')).toBe(
      `There is no service of holdfast here. A \`holdfast up\` runs in a terminal (process ${desk.pid}): Ctrl-C stops it there.`,
    );
    said.mockRestore();
    const second = await holdfast(['up', '--port', '0'], { env: { HOME: home } });
    expect([second.code, second.err]).toEqual([1, expect.stringMatching(/^holdfast up: .* is in use by/)]);
  });

  it('[J1] serves https, also with a certificate that nobody else trusts, and restarts its relay at the same address', async () => {
    const pem = ['--cert', file('cert.pem', CERTIFICATE), '--key', file('key.pem', CERTIFICATE_KEY)];
    const { desk, link } = await up(dir, ...pem);
    expect(link).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/w\/local#token=/);
    await desk.screen.sees(/^To log in as the owner, once, within 10 minutes: https:\S+#owner=/m);
    const api = new URL('/api/workspaces/local/sessions', link);
    const headers = { Authorization: `Bearer ${new URL(link).hash.replace('#token=', '')}` };
    const statusOf = () =>
      new Promise<number>((resolve, reject) => {
        const asked = request(api, { method: 'POST', ca: CERTIFICATE, headers, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        asked.on('error', reject);
        asked.end('{}');
      });
    expect(await statusOf()).toBe(201);
    const workerd = familyOf(desk.pid).find(({ name }) => name.startsWith('workerd'));
    process.kill(workerd?.pid ?? Number.NaN, 'SIGKILL');
    await desk.screen.sees(/^The relay has ended \(SIGKILL\) and is restarted\./m);
    await expect.poll(() => statusOf().catch(() => 0), { timeout: 30_000 }).toBe(201);
  });

  it('[J3] its own machine is in the list of its owner, with its state and the version of its agent', async () => {
    const home = mkdtempSync(join(dir, 'home-'));
    await up(home);
    const machines = () => holdfast(['machines'], { env: { HOME: home } });
    await expect
      .poll(async () => (await machines()).out)
      .toMatch(/^local +- +online since \d\d:\d\d +0 +- +\d+\.\d+\.\d+$/m);
  });

  it('[J1] says that its port is taken, and by which option to choose another', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, err } = await holdfast(['up', '--port', `${port}`], { env: { HOME: dir } });
    other.close();
    expect([code, err]).toEqual([
      1,
      `holdfast up: Port ${port} on 127.0.0.1 is in use by another program; choose another, for example --port ${port + 1}.\n`,
    ]);
  });

  it('[J1] says that Node is too old', () => {
    const pretends = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.0"})';
    const bin = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, ['--import', pretends, bin, '--version'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      'Holdfast needs Node 20 or newer, and this is 18.20.0: install a newer one.\n',
    ]);
  });
});

describe('holdfast up --service', () => {
  let systemd: StandInSystemd;
  let printed: string;
  beforeEach(() => {
    systemd = new StandInSystemd({ runsPrograms: true });
    printed = '';
    for (const stream of ['log', 'error'] as const)
      vi.spyOn(console, stream).mockImplementation((text) => {
        printed += `${text}\n`;
      });
    vi.stubEnv('SHELL', '/bin/sh');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await systemd[Symbol.asyncDispose]();
  });

  const placeAt = (port: number): RelayPlace => ({
    host: '127.0.0.1',
    port,
    publicUrl: undefined,
    tls: undefined,
  });

  it('[J1] runs what the unit says, prints a link that reaches a shell, and leaves no token in the log', async () => {
    const stateDir = join(systemd.home, 'state of $HOME, 100%');
    const run = { place: placeAt(await freePort()), stateDir };
    expect(await installUp(run, systemd.manager)).toBe(0);
    expect(printed).toMatch(/^It ends when you log out.*`loginctl enable-linger`/m);
    const [, link = ''] = /^Open (\S+)$/m.exec(printed) ?? [];
    expect((await ApiClient.withLink(link).ask('POST', '/sessions', {})).status).toBe(201);
    await expect.poll(() => systemd.log).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/w\/local$/m);
    expect(systemd.log).not.toMatch(/token=|owner=/);
    expect(printed).toMatch(/^To let a machine join: holdfast invite --state-dir '.*100%'$/m);

    // Once more, for another link: nothing is started or stopped.
    const [child] = systemd.running.values();
    printed = '';
    expect(await installUp(run, systemd.manager)).toBe(0);
    expect(/^Open (\S+)$/m.exec(printed)?.[1]).not.toBe(link);
    expect([...systemd.running.values()]).toEqual([child]);

    const family = familyOf(child?.pid ?? Number.NaN);
    expect(family.map(({ name }) => name).join(' ')).toMatch(/workerd/);
    printed = '';
    expect(await takeDown(undefined, systemd.manager, stateDir)).toBe(0);
    expect(printed).toBe(`Stopped and removed the service holdfast-up.\nKept: ${stateDir}\n`);
    await gone(family);
    expect(existsSync(join(stateDir, 'relay-secret'))).toBe(true);
  });

  it('[J1] says before it installs anything that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const run = { place: placeAt(port), stateDir: join(systemd.home, 'state') };
    await expect(installUp(run, systemd.manager)).rejects.toThrow(
      /^Port \d+ on 127\.0\.0\.1 is in use by another program; choose another, for example --port/,
    );
    other.close();
    expect(existsSync(systemd.manager.fileOf('holdfast-up'))).toBe(false);
  });

  it('[J1] says where the log is if the agent does not connect, and writes no secret into the unit', async () => {
    await using idle = new StandInSystemd();
    vi.stubEnv('RELAY_SECRET_PREVIOUS', 'the secret before, of more than thirty-two bytes');
    vi.stubEnv('RELAY_ORIGINS', 'https://shells.example.com');
    const run = { place: placeAt(await freePort()), stateDir: join(idle.home, 'state') };
    await expect(installUp(run, idle.manager, 1)).rejects.toThrow(
      /^The service holdfast-up is installed, but its agent is not connected after 0\.001 s; `journalctl --user -u holdfast-up` shows its log, and `holdfast down` removes it\.$/,
    );
    expect(idle.unit('holdfast-up')).toContain('Environment=RELAY_ORIGINS=https://shells.example.com\n');
    expect(idle.unit('holdfast-up')).not.toContain('the secret before');
  });

  it('[J1] needs a port that stays', async () => {
    const run = { place: placeAt(0), stateDir: join(systemd.home, 'state') };
    await expect(installUp(run, systemd.manager)).rejects.toThrow(/^--service needs a port that stays/);
  });
});
