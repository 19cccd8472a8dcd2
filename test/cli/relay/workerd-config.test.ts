import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RelayConfig, readRelayConfig } from '../../../cli/relay/relay-config.ts';
import { type WorkerdSpec, workerdConfig } from '../../../cli/relay/workerd-config.ts';
import { PROJECT } from '../../../node/project.ts';
import { routes } from '../../../worker/app.ts';

const config: RelayConfig = {
  name: 'holdfast',
  compatibilityDate: '2026-07-30',
  compatibilityFlags: ['one', 'two'],
  durableObjects: [{ binding: 'WORKSPACE', className: 'Workspace' }],
  assetsBinding: 'ASSETS',
  runWorkerFirst: [],
};

const spec: WorkerdSpec = {
  config,
  address: '127.0.0.1:8787',
  settings: ['RELAY_SECRET'],
  modules: [{ name: 'index.js', file: '/dist/index.js' }],
  staticFilesModule: '/dist/static-files.js',
  pageDirectory: '/dist/web',
  pageFiles: { etags: { '/index.html': 'abc' }, headers: '/assets/*\n  X: y\n' },
  storageDirectory: '/state/do',
  reachable: ['public'],
};

it('[X1] has one socket, no inspector, and a network with public addresses only, for the relay alone', () => {
  const text = workerdConfig(spec);
  expect(text.match(/address =/g)).toHaveLength(1);
  expect(text).toContain('address = "127.0.0.1:8787", http = (style = proxy), service = "relay"');
  expect(text).toContain('(name = "internet", network = (allow = ["public"], tlsOptions');
  expect(text.match(/globalOutbound = "nowhere"/g), 'the Worker of the files').toHaveLength(1);
  expect(text).toContain('(name = "nowhere", network = (allow = []))');
  expect(text).not.toMatch(/inspector|debug/i);
});

it('[X1] takes settings from the environment, so that the file contains no values', () => {
  expect(workerdConfig(spec)).toContain('(name = "RELAY_SECRET", fromEnvironment = "RELAY_SECRET")');
});

it('keeps the storage key of existing state directories: worker name and class', () => {
  expect(workerdConfig(spec)).toContain('uniqueKey = "holdfast-Workspace", enableSql = true');
});

it('can be read by workerd even if paths contain quotes, backslashes, line ends and accents', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast "é\\\n'));
  try {
    const module = join(dir, 'module.js');
    writeFileSync(
      module,
      'export class Workspace {}; export class TerminalInlet {}; export default { fetch: () => new Response() };',
    );
    const modules = [{ name: 'module.js', file: module }];
    const text = workerdConfig({
      ...spec,
      config: { ...config, compatibilityFlags: [] },
      modules,
      staticFilesModule: module,
    });
    const file = join(dir, 'workerd.capnp');
    writeFileSync(file, text);
    const workerd = createRequire(import.meta.url)('workerd').default;
    // Compiling reads and checks all of it, and starts nothing.
    execFileSync(workerd, ['compile', '--import-path=/', '--config-only', file], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

it('every path that Cloudflare serves without the Worker is a public route of the Worker', async () => {
  const { runWorkerFirst } = await readRelayConfig(new URL('wrangler.toml', PROJECT));
  const served = runWorkerFirst.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
  const open = routes.filter(({ access }) => access === 'public').map(({ path }) => path);
  expect(served.filter((path) => !open.includes(path))).toEqual([]);
});
