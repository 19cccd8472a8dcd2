/** Fish with what users put into its files: the marks stay, and so does what the user set. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endsPrograms } from '../pty/real-shell.ts';
import { command, FIRST, PROMPT, PromptShell, prompt, shellHere, withoutMarks } from './prompt-shell.ts';

endsPrograms();

const { isMissing, unless } = shellHere('fish');
const CONFIG = '.config/fish/config.fish';
const config = (...lines: string[]) => ({
  [CONFIG]: ['set -g fish_greeting', `function fish_prompt; echo -n '${PROMPT}'; end`, ...lines, ''].join(
    '\n',
  ),
});

describe.skipIf(isMissing)(`what a user of fish has set${unless}`, () => {
  it.each([[[]], [['-l']], [['-i', '--login']], [['--interactive']]])(
    'is read when started with %j',
    async (args) => {
      const files = config('set -g FILES read; status is-login; and set -a FILES login');
      const shell = await PromptShell.at('fish', { args, files });
      expect(await shell.enter('echo "<$FILES>"\r')).toContain(
        args.join().includes('-l') ? '<read login>' : '<read>',
      );
      expect(await shell.marks('true\r')).toEqual(command(FIRST + 1, 0, 'true'));
    },
  );

  it('events have the status of the command, whose parts stay known', async () => {
    const mine = 'function mine --on-event fish_postexec; set -g LAST $status; end';
    const shell = await PromptShell.at('fish', { files: config(mine) });
    await shell.marks("sh -c 'exit 4' | sh -c 'exit 5'\r");
    expect(await shell.enter('echo "<$LAST $status $pipestatus>"\r')).toContain('<5 5 4 5>');
  });

  it('its prompt is drawn with the status of the command', async () => {
    const files = {
      [CONFIG]: `set -g fish_greeting\nfunction fish_prompt; echo -n "[$status]${PROMPT}"; end\n`,
    };
    const shell = await PromptShell.at('fish', { files });
    await shell.marks("sh -c 'exit 4'\r");
    expect(shell.everything).toContain(`[4]${PROMPT}`);
  });

  it('a line with an error has no marks', async () => {
    const shell = await PromptShell.at('fish');
    shell.type('echo )\r');
    await shell.prints('unopened parenthesis');
    await shell.prompted();
    expect(shell.everything).not.toContain('133;C');
    expect(await shell.marks('\x15true\r')).toEqual(command(FIRST, 0, 'true'));
  });

  it('a nested fish is plain, and the outer one goes on', async () => {
    const shell = await PromptShell.at('fish');
    await shell.enter('fish\r');
    await shell.enter('echo inside\r');
    expect(withoutMarks(shell.everything)).toContain('inside');
    expect(shell.everything.match(/133;C/g)).toHaveLength(1);
    expect(await shell.marks('exit\r')).toEqual([`D;0;nonce=the-nonce-of-a-session;n=${FIRST}`, prompt]);
  });

  it('output that goes to a file has no marks', async () => {
    const shell = await PromptShell.at('fish');
    await shell.marks('begin; echo word; emit fish_prompt; end >printed\r');
    expect(readFileSync(join(shell.home, 'printed'), 'utf8')).toBe('word\n');
  });
});
