/** What a deploy would upload, by a dry run of the real wrangler: everything except the account. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtConfiguration, withDeployFiles } from '../../cli/deploy/deploy-files.ts';
import { holdfast } from '../support/holdfast-command.ts';
import { InstalledPackage } from '../support/installed-package.ts';
import { ROOT } from './imports.ts';

const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');
const dir = mkdtempSync(join(tmpdir(), 'holdfast-deploy-'));
const wranglerToml = parse(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')) as {
  durable_objects: { bindings: { name: string; class_name: string }[] };
};
const objects = wranglerToml.durable_objects.bindings;
let installed: InstalledPackage;

beforeAll(() => {
  installed = new InstalledPackage();
});
afterAll(() => {
  installed[Symbol.dispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** The real configuration, except the build: it would empty dist/ under the other tests, and was made before. */
function configuration(): string {
  const toml = readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')
    .replace(/^\[build\]\n(?:.+\n)+/m, '')
    .replaceAll('"dist/', `"${ROOT}dist/`);
  const file = join(dir, 'wrangler.toml');
  writeFileSync(file, toml);
  return file;
}

describe('wrangler deploy', () => {
  it('includes the Worker, its objects and the page', () => {
    const args = ['deploy', '--dry-run', '--config', configuration(), '--outdir', join(dir, 'out')];
    const out = execFileSync(process.execPath, [WRANGLER, ...args], {
      cwd: dir,
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
      encoding: 'utf8',
    });
    expect(out).toMatch(/env\.ASSETS/);
    expect(out).toMatch(/--dry-run: exiting now/);
    const bundle = readFileSync(join(dir, 'out', 'index.js'), 'utf8');
    for (const { name, class_name } of objects) {
      expect(out).toContain(`env.${name} (${class_name})`);
      expect(bundle).toMatch(new RegExp(String.raw`^export \{[^}]*\b${class_name}\b`, 'm'));
    }
  });
});

describe('holdfast deploy', () => {
  /** As on a machine where wrangler is on PATH and nobody has logged in. */
  function deploy(...args: string[]) {
    const bin = join(dir, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'wrangler'), `#!/bin/sh\nexec '${process.execPath}' '${WRANGLER}' "$@"\n`);
    chmodSync(join(bin, 'wrangler'), 0o755);
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: dir,
      WRANGLER_SEND_METRICS: 'false',
      CI: 'true',
    };
    return holdfast(['deploy', ...args], { bin: installed.bin, cwd: dir, env });
  }

  it('[J4] from a checkout uses its own configuration, which builds', async () => {
    await withDeployFiles(pathToFileURL(ROOT), async ({ config, cwd }) => {
      expect([config, cwd]).toEqual([join(ROOT, 'wrangler.toml'), ROOT]);
    });
  });

  it('[J4] from the package has all of wrangler.toml except the build, with absolute paths', async () => {
    const { build, ...rest } = parse(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'));
    expect(build).toBeDefined();
    const config = JSON.stringify(await builtConfiguration(installed.url));
    expect(JSON.parse(config.replaceAll(`"${installed.dir}/dist/`, '"dist/'))).toEqual(rest);
    expect(config).not.toContain('"dist/');
  });

  it('[J4] from the package passes a dry run of wrangler: the Worker under its name, its objects and the page', async () => {
    const { code, out, err } = await deploy('--name', 'relay-eu', '--dry-run');
    expect(code, err).toBe(0);
    for (const { name, class_name } of objects) expect(out).toContain(`env.${name} (${class_name})`);
    expect(out).toMatch(/env\.ASSETS[\s\S]*--dry-run: exiting now[\s\S]*would make RELAY_SECRET/);
  });

  it('[J4] knows from wrangler that nobody is logged in', async () => {
    const { code, err } = await deploy();
    expect([code, err]).toEqual([77, expect.stringMatching(/nobody is logged in to Cloudflare here/)]);
  });
});
