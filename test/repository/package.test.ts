/** What is installed elsewhere: the npm package into an empty directory, the agent's archive onto a machine without npm. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAgentArchive, writePackage } from '../../cli/package.ts';
import { plainEnvironment } from '../support/holdfast-command.ts';
import { machineNode } from '../support/processes.ts';
import { TestRelay } from '../support/test-relay.ts';
import { ROOT } from './imports.ts';

const INSTALL_WITHIN_MS = 120_000;
const dir = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
const folder = join(dir, 'package');
const node = machineNode();
const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

beforeAll(() => writePackage(folder));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const npmEnvironment = () => ({
  ...process.env,
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
});

function pack(...args: string[]): Packed {
  const out = execFileSync('npm', ['pack', '--json', ...args], {
    cwd: folder,
    env: npmEnvironment(),
  }).toString();
  const json = JSON.parse(out) as Packed[] | Record<string, Packed>;
  const [packed] = Array.isArray(json) ? json : Object.values(json);
  if (packed === undefined) throw new Error(`npm pack said ${out}`);
  return packed;
}

/** How a program ended, and all it printed. */
async function outcome(file: string, args: string[], env: Record<string, string> = {}) {
  const options = { cwd: dir, env: plainEnvironment({ PATH: `${join(node, '..')}:/usr/bin:/bin`, ...env }) };
  return run(file, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: Error & { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
}

describe('the npm package', () => {
  it('holds what was built, and nothing else of the project', () => {
    const paths = pack('--dry-run').files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'wrangler.toml',
        'cli/bin.mjs',
        'dist/cli/holdfast.js',
        'dist/cli/thread.js',
        'dist/worker/index.js',
        'dist/web/index.html',
        'vm-agent/install/holdfast-agent.service',
        'vm-agent/install/agent.env.example',
        'vm-agent/install/cloud-init.yaml',
        'vm-agent/install/Dockerfile',
      ]),
    );
    const strangers = paths.filter(
      (path) =>
        !/^(package\.json|README\.md|LICENSE|wrangler\.toml|cli\/[\w-]+\.mjs|dist\/(cli|worker|web)\/.+|vm-agent\/install\/[\w.-]+)$/.test(
          path,
        ),
    );
    expect(strangers).toEqual([]);
    expect(paths.filter((path) => /\.(ts|tsx|map|env|pem)$/.test(path))).toEqual([]);
  });

  it('needs two packages, pinned: one with terminals, one with workerd that an agent leaves out', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(manifest.dependencies).toEqual({ 'node-pty': dependencies['node-pty'] });
    expect(manifest.optionalDependencies).toEqual({ miniflare: dependencies.miniflare });
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).not.toHaveProperty('scripts');
  });

  it(
    'installs into an empty directory and runs there, on the Node a machine has',
    async () => {
      const { filename } = pack('--pack-destination', dir);
      writeFileSync(join(dir, 'package.json'), '{}');
      const args = [
        'install',
        '--omit=optional',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
        join(dir, filename),
      ];
      await run('npm', args, { cwd: dir, env: npmEnvironment() });
      const bin = join(dir, 'node_modules/.bin/holdfast');
      expect(await outcome(bin, ['--help'])).toEqual({
        code: 0,
        text: expect.stringMatching(/^Holdfast: terminals/),
      });
      expect(await outcome(bin, ['agent', '--help'])).toEqual({
        code: 0,
        text: expect.stringMatching(/^usage: holdfast agent /),
      });
      const relay = await outcome(bin, ['relay', '--port', '0']);
      expect(relay).toEqual({ code: 1, text: expect.stringMatching(/workerd is not installed here/) });
    },
    INSTALL_WITHIN_MS,
  );

  it('runs the relay it holds where workerd is installed', async () => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const child = execFile(
      process.execPath,
      [join(folder, 'cli/bin.mjs'), 'relay', '--port', '0', '--state-dir', join(dir, 's')],
      {
        env: plainEnvironment(),
      },
    );
    const [url] = await new Promise<RegExpMatchArray>((resolve, reject) => {
      let text = '';
      child.stdout?.on('data', (more: string) => {
        text += more;
        const match = /http:\/\/[\w.:]+/.exec(text);
        if (match !== null) resolve(match);
      });
      child.on('exit', (code) => reject(new Error(`ended with ${code}`)));
    });
    const page = await fetch(new URL('/w/any', url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id=')]);
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe("the agent's archive", () => {
  it('is enough for a machine that has Node and nothing else', async () => {
    const archive = writeAgentArchive(dir, '1.2.3');
    expect(archive).toBe(join(dir, 'holdfast-agent-1.2.3.tar.gz'));
    execFileSync('tar', ['-xzf', archive, '-C', dir]);
    await using relay = await TestRelay.start();
    const tokenFile = join(dir, 'token');
    writeFileSync(tokenFile, await relay.token('agent', relay.workspace, 30 * 24 * 3600), { mode: 0o600 });
    const settings = ['--relay', relay.url.origin, '--workspace', relay.workspace, '--token-file', tokenFile];
    const doctor = await outcome(node, [join(dir, 'agent/main.js'), 'doctor', ...settings], {
      SHELL: '/bin/sh',
    });
    expect(doctor.text).toMatch(/^ok {4}shell {12}\/bin\/sh runs in a terminal/m);
    expect([doctor.code, doctor.text.match(/^fail/m)]).toEqual([0, null]);
  });
});
