/** What is typed so that a shell runs a command. */
import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { PASTE, PASTE_END } from '../../../vm-agent/keyboard/paste-mode.ts';
import { type ShellManner, typedCommand } from '../../../vm-agent/run/typed-command.ts';
import { onPath } from '../../support/on-path.ts';
import { checkProperty } from '../../support/property.ts';

const MARKED: ShellManner = { shell: 'bash', isMarked: true, pastes: true, mayHaveDraft: false };
const PLAIN: ShellManner = { shell: 'sh', isMarked: false, pastes: false, mayHaveDraft: false };

const paste = (text: string) => `${PASTE}${text}${PASTE_END}\r`;

function refusal(command: string, manner: ShellManner): string {
  try {
    return typedCommand(command, 'N', manner);
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe('[A1] a command', () => {
  it.each([
    ['as it is', 'ls -l', 'ls -l'],
    ['without spaces around it', '  ls \n', 'ls'],
    ['in one string if it has several lines', 'a\nb', "eval 'a\rb'"],
    ['with line ends of Windows', 'a\r\nb', "eval 'a\rb'"],
    ['in a string if `!` would be of the history', 'echo hi!', "eval 'echo hi!'"],
    ['in a string if it is a substitution of the history', '^a^b', "eval '^a^b'"],
    ['in a string if it has a comment, which zsh does not know', 'ls # x', "eval 'ls # x'"],
    ['in a string if its line would go on', 'ls \\', "eval 'ls \\'"],
    ['in a string if it is empty', ' ', "eval ''"],
    ['with its quotes', "echo 'a!'", "eval 'echo '\\''a!'\\'''"],
    ['with tabs', 'printf "a\tb"', 'printf "a\tb"'],
  ])('is typed into a shell with our script %s', (_, command, typed) => {
    expect(typedCommand(command, 'N', MARKED)).toBe(paste(typed));
  });

  it('has its tabs as escapes in fish, which leaves them out of a paste', () => {
    expect(typedCommand("echo 'a\tb'", 'N', { ...MARKED, shell: 'fish' })).toBe(
      paste(`eval 'echo \\'a'\\t'b\\''`),
    );
    expect(typedCommand('echo a', 'N', { ...MARKED, shell: 'fish' })).toBe(paste('echo a'));
  });

  it('clears a line that may have something in it, but only of a shell that edits lines', () => {
    expect(typedCommand('ls', 'N', { ...MARKED, mayHaveDraft: true })).toBe(` \x15${paste('ls')}`);
    expect(typedCommand('ls', 'N', { ...MARKED, pastes: false, mayHaveDraft: true })).toBe('ls\n');
  });

  it('has no key that completes a word if the shell does not know pastes', () => {
    expect(typedCommand('a\tb', 'N', { ...MARKED, pastes: false })).toBe('a\x16\tb\n');
    expect(typedCommand('a\tb', 'N', PLAIN)).toContain("'a\tb'");
  });

  it.each([
    [
      'sh',
      String.raw`{ printf '\033]133;C;nonce=%s\033\134' N; command eval 'ls'; printf '\033]133;D;%s;nonce=%s\033\134' $? N; }`,
    ],
    [
      'zsh',
      String.raw`{ printf '\033]133;C;nonce=%s\033\134' N; eval 'ls'; printf '\033]133;D;%s;nonce=%s\033\134' $? N; }`,
    ],
    [
      '-dash',
      String.raw`{ printf '\033]133;C;nonce=%s\033\134' N; command eval 'ls'; printf '\033]133;D;%s;nonce=%s\033\134' $? N; }`,
    ],
    [
      'fish',
      String.raw`begin; printf '\033]133;C;nonce=%s\033\134' N; eval 'ls'; printf '\033]133;D;%s;nonce=%s\033\134' $status N; end`,
    ],
  ])('has marks of its own in a shell without our script: %s', (shell, line) => {
    expect(typedCommand('ls', 'N', { ...PLAIN, shell })).toBe(`${line}\n`);
  });

  it.each([
    [
      'a shell that is not known',
      'ls',
      { ...PLAIN, shell: 'tcsh' },
      /^bad_request: Commands cannot be run in tcsh/,
    ],
    [
      'Ctrl-C, which would drop what is before it',
      'a\x03b',
      MARKED,
      /^bad_request: A command cannot have control/,
    ],
    ['an escape', 'a\x1b[201~b', MARKED, /^bad_request/],
    ['a carriage return, which is Enter', 'a\rb', PLAIN, /^bad_request/],
    ['a backspace', 'a\x7f', PLAIN, /^bad_request/],
    ['too long a line for a terminal without an editor', 'x'.repeat(4000), PLAIN, /at most 4000 bytes/],
  ])('is refused: %s', (_, command, manner, why) => {
    expect(refusal(command, manner)).toMatch(why);
  });

  it('may have long lines in a paste, and many lines everywhere', () => {
    expect(refusal('x'.repeat(4096), MARKED)).toMatch(/x{4096}/);
    expect(refusal('echo 1\n'.repeat(500), PLAIN)).toMatch(/^\{ printf/);
  });
});

/** Anything that may be in a command. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        '\\',
        '$x',
        '`',
        '!',
        '#',
        '\n',
        '\t',
        '*',
        '{',
        ';',
        '&&',
        'é',
        '😀',
        '-n',
        '%',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 15 },
  )
  .map((parts) =>
    parts
      .join('')
      .replace(/[^\P{Cc}\n\t]/gu, '')
      .trim(),
  )
  .filter((whole) => whole !== '' && whole.isWellFormed());

/** The line without its marks: what `eval` gets as one argument. */
function argumentOf(command: string, shell: string): string {
  const typed = typedCommand(command, 'N', { ...PLAIN, shell, pastes: true });
  const line = typed.slice(PASTE.length, -PASTE_END.length - 1).replaceAll('\r', '\n');
  return /eval ('[\s\S]*'); printf/.exec(line)?.[1] ?? '';
}

describe('[A1] the string of a command', () => {
  it('is the command again in every shell of this kind', () => {
    checkProperty(
      'quoted-command',
      fc.property(fc.array(text, { minLength: 20, maxLength: 20 }), (commands) => {
        // All in one process, because starting one takes longest.
        const script = commands.map((command) => `printf '%s\\0' ${argumentOf(command, 'sh')}`).join('\n');
        expect(execFileSync('sh', ['-c', script]).toString()).toBe(`${commands.join('\0')}\0`);
      }),
      { numRuns: 15 },
    );
  });

  it.skipIf(!onPath('fish'))('is the command again in fish', () => {
    checkProperty(
      'quoted-command-fish',
      fc.property(fc.array(text, { minLength: 20, maxLength: 20 }), (commands) => {
        const script = commands.map((command) => `printf '%s\\0' ${argumentOf(command, 'fish')}`).join('\n');
        const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script]);
        expect([stdout.toString(), stderr.toString()]).toEqual([`${commands.join('\0')}\0`, '']);
      }),
      { numRuns: 8 },
    );
  });
});
