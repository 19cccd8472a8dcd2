/** The marks that real shells print on real terminals, byte for byte. */
import { describe, expect, it } from 'vitest';
import { COMMAND_LINE_MAX_CHARS } from '../../../protocol/limits.ts';
import { parseMark } from '../../../protocol/terminal/marks/mark.ts';
import type { MarkedShell } from '../../../vm-agent/shell/marked-start.ts';
import { endsPrograms } from '../pty/real-shell.ts';
import {
  command,
  ended,
  FIRST,
  marksIn,
  PromptShell,
  prompt,
  shellHere,
  USUAL_KEYS,
} from './prompt-shell.ts';

endsPrograms();

const longest = `: ${'x'.repeat(COMMAND_LINE_MAX_CHARS - 2)}`;

/** What is typed, the exit code, and the command line in the mark. */
type Step = readonly [keys: string, code: number, line?: string];

const STEPS: readonly Step[] = [
  ['true\r', 0, 'true'],
  ['false\r', 1, 'false'],
  ['false | true\r', 0, 'false | true'],
  ['no-such-command\r', 127, 'no-such-command'],
  ['echo \';%\' "é👩‍🚀"\r', 0, 'echo \'%3B%25\' "é👩‍🚀"'],
  ['cd /\r', 0, 'cd /'],
  ['sleep 0 &\r', 0, 'sleep 0 &'],
  ['ls -d .\r', 0, 'ls -d .'],
  ['ls -d .\r', 0, 'ls -d .'],
  [`${longest}\r`, 0, longest],
  [`${longest}y\r`, 0],
];

const OF_SHELL: Readonly<Record<MarkedShell, readonly Step[]>> = {
  bash: [
    ['(exit 3)\r', 3, '(exit 3)'],
    // Bash keeps a command of several lines as one.
    ['for i in 1 2; do\recho $i\rdone\r', 0, 'for i in 1 2%3B do echo $i%3B done'],
    ['echo "a\rb"\r', 0, 'echo "a%0Ab"'],
    ['echo \x16\x1b\x16\x07\x16\x01\x16\x7f\r', 0, 'echo %1B%07%01%7F'],
    [' true\r', 0, ' true'],
    ['echo \u009c\r', 0],
  ],
  zsh: [
    ['(exit 3)\r', 3, '(exit 3)'],
    ['for i in 1 2; do\recho $i\rdone\r', 0, 'for i in 1 2%3B do%0Aecho $i%0Adone'],
    ['echo "a\rb"\r', 0, 'echo "a%0Ab"'],
    ['echo \x16\x1b\x16\x07\x16\x01\x16\x7f\r', 0, 'echo %1B%07%01%7F'],
    [' true\r', 0, ' true'],
    ['echo \u009c\r', 0],
  ],
  fish: [
    ["sh -c 'exit 3'\r", 3, "sh -c 'exit 3'"],
    ['for i in 1 2\recho $i\rend\r', 0, 'for i in 1 2%0Aecho $i%0Aend'],
    ['echo "a\rb"\r', 0, 'echo "a%0Ab"'],
    // A leading space keeps it out of the history.
    [' true\r', 0],
  ],
};

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (name) => {
  const { isMissing, unless } = shellHere(name);

  it.skipIf(isMissing)(`tells of its prompt, each command, its output and its end${unless}`, async () => {
    const shell = new PromptShell(name);
    expect(marksIn(await shell.prompted())).toEqual([prompt]);
    let number = FIRST;
    for (const [keys, code, line] of [...STEPS, ...OF_SHELL[name]]) {
      expect(await shell.marks(keys), keys).toEqual(command(number, code, line));
      number++;
    }
    expect(await shell.marks('\r'), 'nothing was entered').toEqual([prompt]);
    expect(await shell.marks('true\r')).toEqual(command(number, 0, 'true'));
  });

  // Fish does not draw another prompt for it, and loses the key in some moments, with or without our script.
  it.skipIf(isMissing || name === 'fish')(
    `tells nothing of a line that is given up by Ctrl-C${unless}`,
    async () => {
      const shell = await PromptShell.at(name);
      shell.type('q');
      await shell.prints('q');
      expect(await shell.marks('\x03')).toEqual([prompt]);
      expect(await shell.marks('true\r')).toEqual(command(FIRST, 0, 'true'));
    },
  );

  it.skipIf(isMissing)(`tells the end of a program that Ctrl-C ended${unless}`, async () => {
    const shell = await PromptShell.at(name);
    // Its word is not in what is typed: it runs once that was printed.
    shell.type('sh -c \'echo run""ning; exec cat\'\r');
    await shell.prints('running');
    expect(await shell.marks('\x03')).toEqual([ended(FIRST, 130), prompt]);
  });

  it.skipIf(isMissing)(`tells what we understand${unless}`, async () => {
    const shell = await PromptShell.at(name);
    const [began, end] = await shell.marks("echo '100%'; echo é\r");
    expect(parseMark(133, began ?? '')).toMatchObject({ kind: 'output', number: FIRST });
    expect(parseMark(133, began ?? '')?.commandLine).toBe("echo '100%'; echo é");
    expect(parseMark(133, end ?? '')).toMatchObject({ kind: 'end', number: FIRST, exitCode: 0 });
  });

  it.skipIf(isMissing)(`keeps $? for the next command${unless}`, async () => {
    const shell = await PromptShell.at(name);
    await shell.enter("sh -c 'exit 3'\r");
    expect(await shell.enter(name === 'fish' ? 'echo "<$status>"\r' : 'echo "<$?>"\r')).toContain('<3>');
  });
});

describe.each(['bash', 'zsh'] as const)('%s', (name) => {
  const { isMissing, unless } = shellHere(name);

  it.skipIf(isMissing)(`[T2] asks for the usual keys before each prompt${unless}`, async () => {
    const shell = await PromptShell.at(name);
    for (const keys of ['true\r', 'false\r'])
      expect(await shell.enter(keys)).toContain(`${USUAL_KEYS}\x1b]133;${prompt}\x07`);
  });
});
