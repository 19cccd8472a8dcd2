/**
 * A copy of the repository's compiler settings around files of a test: these may do what the real folders may, whatever
 * the state of the real files.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './imports.ts';

export class Skeleton {
  readonly #root = mkdtempSync(join(tmpdir(), 'holdfast-skeleton-'));

  constructor(folders: readonly string[]) {
    symlinkSync(join(ROOT, 'node_modules'), join(this.#root, 'node_modules'));
    const settings = folders.map((folder) => `${folder}/tsconfig.json`);
    for (const file of ['package.json', 'tsconfig.base.json', ...settings]) {
      mkdirSync(dirname(join(this.#root, file)), { recursive: true });
      copyFileSync(join(ROOT, file), join(this.#root, file));
    }
  }

  write(file: string, source: string): void {
    writeFileSync(join(this.#root, file), source);
  }

  /** Compiles `folders`; the first complaint about each file, by the file's path. */
  compile(folders: readonly string[]): Map<string, string> {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const args = [tsc, '-b', '--pretty', 'false', ...folders];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: this.#root, encoding: 'utf8' });
    if (stderr !== '') throw new Error(stderr);
    const complaints = new Map<string, string>();
    for (const [, file = '', complaint = ''] of stdout.matchAll(/^(\S+)\(\d+,\d+\): error (.+)$/gm)) {
      if (!complaints.has(file)) complaints.set(file, complaint);
    }
    return complaints;
  }

  remove(): void {
    rmSync(this.#root, { recursive: true });
  }
}
