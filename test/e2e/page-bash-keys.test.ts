/** In bash, what was printed at its prompt does not take Ctrl-C from the programs that it starts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

let world: World;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
  writeFileSync(join(home, '.bashrc'), "PS1='$ '\n");
  world = await World.open({ shell: '/bin/bash', home });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

opensTerminals(() => world);

describe('Ctrl-C', () => {
  it('[T2] [U8] interrupts a program, whatever was printed before it, also after a reload', async () => {
    const terminal = terminalOf(page);
    await terminal.types("printf '\\033[>31u\\033[>4;2mprinted\\n'\n");
    await terminal.shows(/^printed\n\$$/m);
    for (const isReloaded of [false, true]) {
      await terminal.types('cat\n');
      // From now on the page honours what programs ask of the keyboard.
      await page.getByRole('tab', { selected: true }).filter({ hasText: 'cat' }).waitFor();
      if (isReloaded) await page.reload();
      await terminal.shows(/^\$ cat\n$/m);
      await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
      await page.keyboard.press('Control+c');
      await terminal.types('clear\n');
      await terminal.shows(/^\$\n*$/);
    }
  });
});
