/**
 * What is installed on other machines: the npm package in an empty directory, the agent's archive on a machine without
 * npm.
 */
import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAgentArchive, writePackage } from '../../tools/package.ts';
import { SETTINGS } from '../../vm-agent/settings/config.ts';
import { ApiClient } from '../support/api-client.ts';
import { plainEnvironment } from '../support/holdfast-command.ts';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { familyOf } from '../support/process-table.ts';
import { gone, machineNode } from '../support/processes.ts';
import { TestRelay } from '../support/test-relay.ts';
import { ROOT } from './imports.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
const folder = join(dir, 'package');
const home = join(dir, 'home');
const node = machineNode();
const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
beforeAll(async () => {
  await writePackage(folder);
  mkdirSync(home);
  packed = pack();
});
const started: ChildProcess[] = [];
afterAll(() => {
  // Those of a test that failed; the others have ended.
  for (const child of started) child.kill('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
});

/** A user's environment with an empty home; only npm's earlier downloads are shared, to save the network. */
const npmEnvironment = (program = node) => ({
  PATH: `${dirname(program)}:/usr/bin:/bin`,
  HOME: home,
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
  ...(process.env.npm_config_registry === undefined
    ? {}
    : { npm_config_registry: process.env.npm_config_registry }),
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
});

/** Installs the package into an empty directory; its command. */
async function install(where: string, program: string): Promise<string> {
  mkdirSync(where);
  writeFileSync(join(where, 'package.json'), '{}');
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', join(dir, packed.filename)];
  await run('npm', args, { cwd: where, env: npmEnvironment(program) });
  return join(where, 'node_modules/.bin/holdfast');
}

function pack(): Packed {
  const out = execFileSync('npm', ['pack', '--json', '--pack-destination', dir], {
    cwd: folder,
    env: npmEnvironment(),
  }).toString();
  const json = JSON.parse(out) as Packed[] | Record<string, Packed>;
  const [made] = Array.isArray(json) ? json : Object.values(json);
  if (made === undefined) throw new Error(`npm pack said ${out}`);
  return made;
}

/** How a program ended, and all it printed. */
async function outcome(file: string, args: string[], env: Record<string, string> = {}) {
  const options = {
    cwd: dir,
    env: plainEnvironment({ PATH: `${dirname(node)}:/usr/bin:/bin`, HOME: home, ...env }),
  };
  return run(file, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: Error & { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
}

/** A running program, its output, and its end. */
function start(program: string, args: string[], env: Record<string, string> = {}) {
  return watch(execFile(program, args, { cwd: dir, env: plainEnvironment({ HOME: home, ...env }) }));
}

function watch(child: ChildProcess) {
  started.push(child);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (more: string) => (text += more));
  const says = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text);
        if (match !== null) resolve(match);
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
      look();
      void ended.then((code) => reject(new Error(`ended with ${code}: ${text}`)));
    });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { says, stop, pid: child.pid };
}

describe('the npm package', () => {
  it('contains the build and nothing else of the project', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'wrangler.toml',
        'cli/bin.mjs',
        'dist/cli/holdfast.js',
        'dist/cli/agent/main.js',
        'dist/cli/thread.js',
        'dist/cli/scripts/marks.bash',
        'dist/cli/scripts/marks.zsh',
        'dist/cli/scripts/marks.fish',
        'dist/worker/index.js',
        'dist/web/index.html',
        'library/client.js',
        'library/node.js',
        'library/react.js',
        'library/react.css',
        'vm-agent/install/holdfast-agent.service',
        'vm-agent/install/agent.env.example',
        'vm-agent/install/cloud-init.yaml',
        'vm-agent/install/Dockerfile',
      ]),
    );
    const strangers = paths.filter(
      (path) =>
        !/^(package\.json|README\.md|LICENSE|wrangler\.toml|cli\/[\w-]+\.mjs|library\/.+|dist\/(cli|static-files|worker|web)\/.+|vm-agent\/install\/[\w.-]+)$/.test(
          path,
        ),
    );
    expect(strangers).toEqual([]);
    expect(paths.filter((path) => /(?<!\.d)\.ts$|\.(tsx|map|env|pem)$/.test(path))).toEqual([]);
  });

  it('needs two pinned packages: one for terminals, and workerd, which an agent leaves out', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(manifest.dependencies).toEqual({ 'node-pty': dependencies['node-pty'] });
    expect(manifest.optionalDependencies).toEqual({ workerd: dependencies.workerd });
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).not.toHaveProperty('scripts');
  });

  let bin: string;

  it('installs into an empty directory with an empty home, runs a relay and an agent there, and a command reaches a shell through them', async () => {
    const where = join(dir, 'relay-machine');
    bin = await install(where, node);
    const relay = start(node, [bin, 'relay', '--port', '0', '--state-dir', join(where, 's')]);
    const [, url = ''] = await relay.says(/^Relay at (\S+),/m);
    const page = await fetch(new URL('/w/any', url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id=')]);

    const tokenFile = async (role: string) => {
      const file = join(where, `${role}-token`);
      const made = ['token', '-w', 'any', '--role', role, '--expires', '1h'];
      const { text } = await outcome(bin, [...made, '--secret-file', join(where, 's/relay-secret')]);
      writeFileSync(file, text, { mode: 0o600 });
      return file;
    };
    const place = ['--relay', url, '--workspace', 'any', '--token-file'];
    // The agent on the machine's own Node, as in the field.
    const agent = start(node, [bin, 'agent', ...place, await tokenFile('agent')], { SHELL: '/bin/sh' });
    await agent.says(/"state":"open"/);
    const reload = await outcome(bin, ['agent', 'reload', '--pid', `${agent.pid}`]);
    expect(reload).toEqual({ code: 0, text: expect.stringMatching(/^The new agent .* has taken over/) });
    // Written by the keeper and by the agent, in either order.
    await agent.says(/"agent_ready".*"agent_ready"/s);
    await agent.says(/"state":"open".*"state":"open"/s);
    const client = [...place, await tokenFile('operator')];
    await outcome(bin, ['new', '--key', 'k', ...client, '--', 'sh', '-c', 'echo $((6*7)); exit 5']);
    expect((await outcome(bin, ['wait', 'k', ...client])).code).toBe(5);
    expect((await outcome(bin, ['snapshot', 'k', ...client])).text).toBe('42\n');
    expect(await agent.stop(), 'the agent').toBe(0);
    expect(await relay.stop(), 'the relay').toBe(0);
  });

  it('runs where an agent is installed, which leaves out workerd', async () => {
    const where = join(dir, 'agent-machine');
    // As `npm install --omit=optional` leaves it; installing once more takes ten seconds.
    cpSync(join(dir, 'relay-machine'), where, { recursive: true, verbatimSymlinks: true });
    for (const part of ['workerd', '@cloudflare', '.bin/workerd'])
      rmSync(join(where, 'node_modules', part), { recursive: true });
    const bin = join(where, 'node_modules/.bin/holdfast');
    expect(await outcome(bin, ['--help'])).toEqual({
      code: 0,
      text: expect.stringMatching(/^Holdfast: terminals/),
    });
    expect(await outcome(bin, ['agent', '--help'])).toEqual({
      code: 0,
      text: expect.stringMatching(/^usage: holdfast agent /),
    });
    const relay = await outcome(bin, ['relay', '--port', '0']);
    expect(relay).toEqual({
      code: 1,
      text: expect.stringMatching(/workerd is not installed here/),
    });
  });

  it('[J1] `holdfast up` runs everything, from any directory, with an empty home and nothing in the environment', async () => {
    const [elsewhere, empty] = [join(dir, 'elsewhere'), join(dir, 'empty-home')];
    for (const folder of [elsewhere, empty]) mkdirSync(folder);
    const up = watch(execFile(node, [bin, 'up', '--port', '0'], { cwd: elsewhere, env: { HOME: empty } }));
    const [, link = ''] = await up.says(/^Open (\S+)$/m);
    expect(await (await fetch(link)).text()).toContain('<div id=');
    const api = ApiClient.withLink(link);
    const { id } = await api.create({ command: '/bin/sh' });
    await api.type(id, 'echo $((6*7))-$HOME\n');
    await expect.poll(() => api.text(id)).toContain(`42-${empty}`);
    const family = familyOf(up.pid ?? Number.NaN);
    expect(await up.stop()).toBe(0);
    await gone(family);
    expect([readdirSync(elsewhere), readdirSync(empty)]).toEqual([[], ['.config']]);
  });

  it('[J1] without workerd, which an agent leaves out, `holdfast up` says how to install it', async () => {
    const { code, text } = await outcome(join(dir, 'agent-machine/node_modules/.bin/holdfast'), [
      ...['up', '--port', '0', '--state-dir', join(dir, 'no-relay')],
    ]);
    expect([code, text]).toEqual([1, expect.stringMatching(/^holdfast up: workerd is not installed here/m)]);
  });
});

describe("the agent's archive", () => {
  let archive: string;
  beforeAll(() => {
    archive = writeAgentArchive(dir, '1.2.3');
  });

  it('is enough for a machine that has only Node', async () => {
    expect(archive).toBe(join(dir, 'holdfast-agent-1.2.3.tar.gz'));
    execFileSync('tar', ['-xzf', archive, '-C', dir]);
    await using relay = await TestRelay.onWorkerd();
    const tokenFile = join(dir, 'token');
    writeFileSync(tokenFile, await relay.token('agent', relay.workspace, 30 * 24 * 3600), { mode: 0o600 });
    const settings = ['--relay', relay.url.origin, '--workspace', relay.workspace, '--token-file', tokenFile];
    const doctor = await outcome(node, [join(dir, 'agent/main.js'), 'doctor', ...settings], {
      SHELL: '/bin/sh',
    });
    expect(doctor.text).toMatch(/^ok {4}shell {12}\/bin\/sh runs in a terminal/m);
    expect([doctor.code, doctor.text.match(/^fail/m)]).toEqual([0, null]);
  });

  it('has the layout that the image, the unit and cloud-init expect', () => {
    const install = (file: string) => readFileSync(join(ROOT, 'vm-agent/install', file), 'utf8');
    const held = execFileSync('tar', ['-tzf', archive]).toString().split('\n');
    expect(held).toEqual(expect.arrayContaining(['agent/keeper.js', 'agent/main.js', 'agent/thread.js']));
    for (const shell of ['bash', 'zsh', 'fish']) expect(held).toContain(`agent/scripts/marks.${shell}`);
    for (const file of ['Dockerfile', 'cloud-init.yaml', 'holdfast-agent.service'])
      for (const [, path = ''] of install(file).matchAll(/\/opt\/holdfast\/(agent\/[\w./-]+)/g))
        expect(held, file).toContain(path);
    const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
    for (const file of ['Dockerfile', 'cloud-init.yaml'])
      for (const [name] of install(file).matchAll(/\b(?:HOLDFAST|PTY)_[A-Z_]+(?==)/g))
        expect(known, file).toContain(name);
  });

  const cloudInit = onPath('cloud-init');
  it.skipIf(cloudInit === undefined)(
    `cloud-init accepts its example${unlessMissing('cloud-init', cloudInit)}`,
    () => {
      const file = join(ROOT, 'vm-agent/install/cloud-init.yaml');
      const said = execFileSync(cloudInit ?? '', ['schema', '--config-file', file]).toString();
      expect(said).toMatch(/^Valid cloud-config/);
    },
  );
});
