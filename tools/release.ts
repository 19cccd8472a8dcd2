/**
 * `npx node tools/release.ts <version> [--dry-run]`: makes a release. It sets the version, dates the changelog, builds and packs, writes
 * checksums and a list of dependencies (SBOM) beside the archives in dist/, commits and tags. A dry run prints what would happen and
 * changes nothing. Publishing is left to people: push the tag and upload what is in dist/.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROJECT } from '../node/project.ts';
import { planRelease } from './release-plan.ts';

const root = fileURLToPath(PROJECT);
const dist = join(root, 'dist');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
});

try {
  release(positionals[0] ?? '', values['dry-run']);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function release(version: string, isDry: boolean): void {
  const plan = planRelease({
    version,
    manifest: read('package.json'),
    lockfile: read('package-lock.json'),
    changelog: read('CHANGELOG.md'),
    day: new Date().toISOString().slice(0, 10),
  });
  const step = (what: string, act: () => void) => {
    console.log(isDry ? `would ${what}` : what);
    if (!isDry) act();
  };
  step('check that nothing is uncommitted', requireClean);
  step(`set the version to ${version} and date the changelog`, () => {
    writeFileSync(join(root, 'package.json'), plan.manifest);
    writeFileSync(join(root, 'package-lock.json'), plan.lockfile);
    writeFileSync(join(root, 'CHANGELOG.md'), plan.changelog);
  });
  step('build and pack into dist/', () => {
    run(process.execPath, 'tools/build.ts');
    run(process.execPath, 'tools/package.ts');
  });
  step('list the dependencies in dist/sbom.json', () => {
    writeFileSync(join(dist, 'sbom.json'), run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'));
  });
  step('write checksums to dist/SHA256SUMS', () =>
    writeFileSync(join(dist, 'SHA256SUMS'), checksums(version)),
  );
  step(`commit and tag ${plan.tag}`, () => {
    run('git', 'commit', '--all', '--message', `Release ${version}`);
    run('git', 'tag', '--annotate', plan.tag, '--message', plan.tag);
  });
}

function requireClean(): void {
  if (run('git', 'status', '--porcelain') !== '')
    throw new Error('There are uncommitted changes. Commit or stash them, then try again.');
}

/** In the format that `sha256sum --check` reads. */
function checksums(version: string): string {
  const released = readdirSync(dist).filter((name) => name.includes(`-${version}.`) || name === 'sbom.json');
  return released
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(dist, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
