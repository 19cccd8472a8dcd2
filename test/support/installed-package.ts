/** The files of the npm package in a directory of their own, where nothing of the checkout is beside them. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGED } from '../../tools/package.ts';
import { ROOT } from '../repository/imports.ts';

export class InstalledPackage implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'holdfast-installed-'));
  readonly bin = join(this.dir, 'cli/bin.mjs');
  readonly url = pathToFileURL(`${this.dir}/`);

  constructor() {
    for (const path of PACKAGED) cpSync(join(ROOT, path), join(this.dir, path), { recursive: true });
    writeFileSync(join(this.dir, 'package.json'), '{ "type": "module" }');
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
