/**
 * Decides whether a part must be rebuilt, by comparing a fingerprint of its source files with the one stored at the
 * last build. Names, sizes and modification times are enough: git and editors change at least one of them.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT } from '../node/project.ts';

const root = fileURLToPath(PROJECT);
const SOURCES = [
  'cli',
  'client',
  'mcp',
  'node',
  'protocol',
  'tools',
  'vm-agent',
  'web',
  'worker',
  'package.json',
  'package-lock.json',
];

export class BuildRecord {
  readonly #file: string;
  readonly #fingerprint = fingerprintOf(SOURCES);

  constructor(part: string) {
    this.#file = join(root, 'dist/.built', part);
  }

  get isCurrent(): boolean {
    try {
      return readFileSync(this.#file, 'utf8') === this.#fingerprint;
    } catch {
      return false;
    }
  }

  /** Called before a build, so that a build that fails half-way does not count as the last one. */
  forget(): void {
    rmSync(this.#file, { force: true });
  }

  remember(): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, this.#fingerprint);
  }
}

function fingerprintOf(paths: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths.flatMap(filesIn)) {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
