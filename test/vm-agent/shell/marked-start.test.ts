/** Which commands are started with a script of ours, and how. */
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { shellTask } from '../../../vm-agent/pty/foreground.ts';
import type { SpawnSpec } from '../../../vm-agent/pty/pty.ts';
import { markedShellOf, markedStart } from '../../../vm-agent/shell/marked-start.ts';

const bin = mkdtempSync(join(tmpdir(), 'holdfast-shells-'));
afterAll(() => rmSync(bin, { recursive: true }));

function program(name: string, content = '\x7fELF'): void {
  writeFileSync(join(bin, name), content);
  chmodSync(join(bin, name), 0o755);
}

for (const name of ['bash', 'zsh', 'fish', 'sh', 'busybox', 'zsh-5.9', 'vim']) program(name);
const others = join(bin, 'bash-links');
const spec = (
  command: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): SpawnSpec => ({
  command,
  args,
  cwd: bin,
  env: { PATH: bin, ...env },
  size: { cols: 80, rows: 24 },
});

describe('a shell at its prompt', () => {
  it.each([
    ['bash', []],
    ['bash', ['-l']],
    ['bash', ['-i']],
    ['bash', ['-il']],
    ['bash', ['--login', '-i']],
    ['zsh', ['--interactive']],
    ['fish', ['--interactive', '--login']],
  ])('is %s %j', (name, args) => {
    expect(markedShellOf(spec(name, args))).toBe(name);
    expect(markedShellOf(spec(join(bin, name), args))).toBe(name);
  });

  it.each([
    ['bash', ['-c', 'ls']],
    ['bash', ['script']],
    ['bash', ['--norc']],
    ['bash', ['-s']],
    ['bash', ['--posix']],
    // Bash knows no such option, and says so.
    ['bash', ['--interactive']],
    ['zsh', ['-f']],
    ['fish', ['-C', 'ls']],
    ['fish', ['--no-config']],
    ['sh', []],
    ['vim', []],
    ['missing/bash', []],
  ])('is not %s %j', (name, args) => {
    expect(markedShellOf(spec(name, args))).toBeNull();
  });

  it('is not another program or a script under the name of a shell', () => {
    symlinkSync('busybox', others);
    const aside = mkdtempSync(join(bin, 'aside-'));
    symlinkSync(join(bin, 'busybox'), join(aside, 'bash'));
    symlinkSync(join(bin, 'zsh-5.9'), join(aside, 'zsh'));
    writeFileSync(join(aside, 'fish'), '#!/bin/sh\nexec something "$@"\n');
    chmodSync(join(aside, 'fish'), 0o755);
    const found = ['bash', 'zsh', 'fish'].map((name) => markedShellOf(spec(join(aside, name))));
    expect(found).toEqual([null, 'zsh', null]);
  });

  it('is not bash in POSIX mode, which reads another file', () => {
    expect(markedShellOf(spec('bash', [], { POSIXLY_CORRECT: '' }))).toBeNull();
  });
});

describe('a start with our script', () => {
  const marks = { nonce: 'N', firstNumber: 3 };
  const start = (shell: 'bash' | 'zsh' | 'fish', args: readonly string[], env = {}) =>
    markedStart(spec(shell, args, env), shell, "/it's/here", marks);

  it.each([
    [[], ['--init-file', "/it's/here/marks.bash"], 'N:3'],
    [['-i'], ['--init-file', "/it's/here/marks.bash", '-i'], 'N:3'],
    [['-l'], ['--init-file', "/it's/here/marks.bash"], 'N:3:login'],
    [['--login', '-i'], ['--init-file', "/it's/here/marks.bash", '-i'], 'N:3:login'],
    [['-li'], ['--init-file', "/it's/here/marks.bash", '-i'], 'N:3:login'],
  ])('bash %j becomes %j', (args, given, variable) => {
    expect(start('bash', args)).toEqual({
      ...spec('bash', given, { HOLDFAST_MARKS: variable }),
    });
  });

  it('zsh keeps its arguments', () => {
    expect(start('zsh', ['-l'])).toEqual(
      spec('zsh', ['-l'], { HOLDFAST_MARKS: 'N:3', ZDOTDIR: "/it's/here" }),
    );
    expect(start('zsh', [], { ZDOTDIR: '/a:b' }).env.HOLDFAST_MARKS).toBe('N:3:/a:b');
  });

  it('fish keeps its arguments after ours', () => {
    const args = ['--init-command', "source '/it\\'s/here/marks.fish'", '-l'];
    expect(start('fish', ['-l'])).toEqual(spec('fish', args, { HOLDFAST_MARKS: 'N:3' }));
  });

  it.each(['bash', 'zsh', 'fish'] as const)(
    '%s is still a shell that reads commands from a person',
    (shell) => {
      expect(shellTask(shell, start(shell, ['-l']).args)).toBeNull();
      expect(shellTask(shell, [...start(shell, []).args, '-c', 'ls'])).toBe(`${shell} -c`);
    },
  );

  it('so is fish with a command of the user before its first prompt', () => {
    expect(shellTask('fish', ['-C', 'cd /'])).toBeNull();
    expect(shellTask('fish', ['-C', 'cd /', 'script.fish'])).toBe('script.fish');
  });
});
