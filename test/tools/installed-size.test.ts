import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bytesIn, dependenciesOf, inMegabytes } from '../../tools/installed-size.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-size-'));
afterAll(() => rmSync(dir, { recursive: true }));

it('counts a file with two names once, and does not follow links', () => {
  mkdirSync(join(dir, 'a/b'), { recursive: true });
  mkdirSync(join(dir, 'c'));
  writeFileSync(join(dir, 'a/b/one'), 'x'.repeat(1000));
  linkSync(join(dir, 'a/b/one'), join(dir, 'c/two'));
  symlinkSync('/usr', join(dir, 'c/usr'));
  expect(bytesIn(join(dir, 'a'), join(dir, 'c'))).toBe(1000 + '/usr'.length);
  expect(inMegabytes(1_949_000)).toBe('1.9 MB');
});

it('finds what npm installs beside a package, without what is for other machines', () => {
  const modules = join(dir, 'node_modules');
  const manifest = (folder: string, text: object) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify(text));
  };
  manifest(join(dir, 'own'), { dependencies: { pty: '1' }, optionalDependencies: { d: '1' } });
  manifest(join(modules, 'pty'), { dependencies: { api: '1' } });
  manifest(join(modules, 'api'), { dependencies: { pty: '1' } });
  manifest(join(modules, 'd'), { optionalDependencies: { 'd-mac': '1', '@x/d-linux': '1' } });
  manifest(join(modules, '@x/d-linux'), {});
  expect(dependenciesOf(join(dir, 'own'), modules)).toEqual(['@x/d-linux', 'api', 'd', 'pty']);
});
