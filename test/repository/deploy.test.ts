/** What `npm run deploy` would upload, by a dry run: everything except the account. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './imports.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-deploy-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

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
  it('includes the Worker, its object and the page', () => {
    const wrangler = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');
    const args = ['deploy', '--dry-run', '--config', configuration(), '--outdir', join(dir, 'out')];
    const out = execFileSync(process.execPath, [wrangler, ...args], {
      cwd: dir,
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
      encoding: 'utf8',
    });
    expect(out).toMatch(/env\.WORKSPACE \(Workspace\)/);
    expect(out).toMatch(/env\.ASSETS/);
    expect(out).toMatch(/--dry-run: exiting now/);
    const bundle = readFileSync(join(dir, 'out', 'index.js'), 'utf8');
    expect(bundle).toMatch(/^export \{[^}]*\bWorkspace,/m);
  });
});
