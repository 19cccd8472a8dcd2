/** Words as shells read them: what is written is run by every shell that is installed. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandLineOf, shellWord } from '../../../cli/client/shell-words.ts';
import { onPath } from '../../support/on-path.ts';

const WORDS = [
  'plain',
  '',
  'a b',
  "it's",
  'back\\slash',
  '\\',
  "\\'",
  '$HOME',
  '`id`',
  '!x',
  '"',
  '*',
  'a\nb',
  '~',
  'ü',
];

describe('words of a command', () => {
  it.each(['sh', 'bash', 'zsh', 'fish'].filter((shell) => onPath(shell)))(
    '[A1] are read as they are by %s',
    (shell) => {
      const line = `printf '%s|' ${WORDS.map(shellWord).join(' ')}`;
      expect(execFileSync(shell, ['-c', line], { encoding: 'utf8' })).toBe(`${WORDS.join('|')}|`);
    },
  );

  it('are not quoted if they need not be', () => {
    expect(commandLineOf(['make', '-j4', 'CFLAGS=-O2', 'src/a.c'])).toBe('make -j4 CFLAGS=-O2 src/a.c');
  });

  it('are a command line if there is one only', () => {
    expect(commandLineOf(['make && make install'])).toBe('make && make install');
    expect(commandLineOf(['echo', 'a && b'])).toBe("echo 'a && b'");
    expect(commandLineOf([])).toBe('');
  });
});
