import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { planRelease } from '../../tools/release-plan.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INPUT = {
  version: '0.2.0',
  manifest: '{\n  "version": "0.1.0",\n  "dependencies": { "x": "0.1.0" }\n}',
  lockfile:
    '{ "version": "0.1.0", "packages": { "": { "version": "0.1.0", "dependencies": {} }, "node_modules/x": { "version": "0.1.0" } } }',
  changelog: '# Changes\n\n## 0.1.0, not released yet\n\n- Something.\n',
  day: '2026-11-17',
};

describe('a release', () => {
  it('sets only our own version, and dates the changelog', () => {
    const plan = planRelease(INPUT);
    expect(JSON.parse(plan.manifest)).toEqual({ version: '0.2.0', dependencies: { x: '0.1.0' } });
    expect(JSON.parse(plan.lockfile)).toMatchObject({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' }, 'node_modules/x': { version: '0.1.0' } },
    });
    expect(plan.changelog).toContain('## 0.2.0, 2026-11-17\n');
    expect(plan.tag).toBe('v0.2.0');
  });

  it.each([
    [{ version: 'next' }, '"next" is not a version'],
    [{ version: '0.0.9' }, '0.0.9 is older than 0.1.0'],
    [{ changelog: '# Changes\n' }, 'CHANGELOG.md has no section'],
  ])('is refused with a sentence: %o', (change, sentence) => {
    expect(() => planRelease({ ...INPUT, ...change })).toThrow(sentence);
  });

  it('prints in a dry run what it would do, and changes nothing', () => {
    const status = () => execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
    const before = status();
    const args = [join(ROOT, 'tools/release.ts'), '99.0.0', '--dry-run'];
    const { stdout, status: code } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      'would check that nothing is uncommitted',
      'would set the version to 99.0.0 and date the changelog',
      'would build and pack into dist/',
      'would list the dependencies in dist/sbom.json',
      'would write checksums to dist/SHA256SUMS',
      'would commit and tag v99.0.0',
    ]);
    expect(status()).toBe(before);
  });
});
