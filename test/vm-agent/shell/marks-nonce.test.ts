/** The nonce of a session's marks: no program that the shell starts gets it, and a plain shell is what is asked for. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { endsPrograms } from '../pty/real-shell.ts';
import { NONCE, PROMPT, PromptShell, shellHere, withoutMarks } from './prompt-shell.ts';

endsPrograms();

/** A file of the user that shows its environment to a program, and sets the prompt. */
const FILES = {
  bash: { '.bashrc': `env >at-start\nPS1='${PROMPT}'\n` },
  zsh: { '.zshenv': 'env >at-start\n', '.zshrc': `PS1='${PROMPT}'\n` },
  fish: undefined,
};

/** What each shell would pass on, and a program that says what it was given. */
const SHOWN = { bash: 'export -p', zsh: 'export -p', fish: 'set -x' };

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (name) => {
  const { isMissing, unless } = shellHere(name);

  it.skipIf(isMissing)(`passes the nonce to no program${unless}`, async () => {
    const files = FILES[name];
    const shell = await PromptShell.at(name, files === undefined ? {} : { files });
    for (const keys of ['env', SHOWN[name], "sh -c 'env; env'", 'env | cat'])
      expect(withoutMarks(await shell.enter(`${keys}; echo done\r`)), keys).not.toMatch(
        new RegExp(`${NONCE}|HOLDFAST_MARKS`),
      );
    if (files === undefined) return;
    expect(readFileSync(join(shell.home, 'at-start'), 'utf8')).toContain('HOME=');
    expect(readFileSync(join(shell.home, 'at-start'), 'utf8')).not.toMatch(/HOLDFAST/);
  });

  it.skipIf(isMissing || !hasProc)(`is reported as a shell at its prompt${unless}${unlessProc}`, async () => {
    const shell = await PromptShell.at(name);
    expect(shell.foreground).toBe(name);
    // Its word is not in what is typed: it runs once that was printed.
    shell.type('sh -c \'echo run""ning; read x\'\r');
    await shell.prints('running');
    expect(shell.foreground).toBe('sh -c');
    await shell.enter('\r');
    expect(shell.foreground).toBe(name);
  });

  it.skipIf(isMissing)(`is left alone if it is to run something${unless}`, async () => {
    const shell = new PromptShell(name, { args: ['-c', 'env >seen; echo done'] });
    await shell.prints('done');
    await shell.exit;
    expect(readFileSync(join(shell.home, 'seen'), 'utf8')).not.toMatch(/HOLDFAST|ZDOTDIR/);
    expect(existsSync(join(shell.home, 'seen'))).toBe(true);
    expect(shell.warnings).toEqual([]);
  });
});
