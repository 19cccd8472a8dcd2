/** A home directory for pictures, so that they show nothing of the machine they were taken on. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PICTURES = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
export const DESK = { width: 1100, height: 620 };
export const PHONE = { width: 360, height: 640 };

const PROMPT = `PS1='\\[\\e[32m\\]vm\\[\\e[0m\\]:\\[\\e[34m\\]\\w\\[\\e[0m\\]$ '\ncd ~/holdfast\n`;

/** Something that looks like work. */
const BUILD = `#!/bin/sh
for step in compile test package; do printf '\\033[36m==>\\033[0m %s\\n' "$step"; sleep 0.1; done
i=0; while [ $i -lt 400 ]; do i=$((i+1)); printf '\\r  \\033[32m%3d\\033[0m of 400 checks passed' $i; sleep 0.05; done\n`;

export class PictureHome implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'vm-'));
  readonly path = join(this.#root, 'dev');

  constructor() {
    mkdirSync(PICTURES, { recursive: true });
    const project = join(this.path, 'holdfast');
    mkdirSync(project, { recursive: true });
    for (const name of ['README.md', 'protocol.md', 'relay.ts', 'agent.ts'])
      writeFileSync(join(project, name), '');
    writeFileSync(join(project, 'build.sh'), BUILD, { mode: 0o755 });
    writeFileSync(join(this.path, '.bashrc'), PROMPT);
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
