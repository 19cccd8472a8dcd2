/** Whether a shell waits for a command. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { type ShellState, shellReady } from '../../../vm-agent/run/shell-ready.ts';

const SHELL = { program: 'bash', isOwn: true, isShell: true, reads: true };

/** A marked shell at its prompt. */
const READY: ShellState = {
  look: SHELL,
  isAtPrompt: true,
  running: null,
  isLineOpen: false,
  isYoung: false,
  run: null,
  quietMs: 1000,
  typedMs: 1000,
  waits: { ms: 1000, looks: 10 },
  pastes: true,
};
const UNMARKED = { isAtPrompt: undefined, pastes: false };
const VIM = { program: 'vim', isOwn: false, isShell: false, reads: true };

function answer(state: Partial<ShellState>): string {
  const ready = shellReady({ ...READY, ...state });
  return ready instanceof Refusal ? ready.message.replace(/^.*command\. /, '') : ready;
}

describe('[A1] [AS1] a shell', () => {
  it.each<[string, Partial<ShellState>, string]>([
    ['at its prompt', {}, 'marked'],
    ['at its prompt, on a system that tells nothing', { look: null }, 'marked'],
    ['that the system may not look at', { look: { ...SHELL, reads: null } }, 'marked'],
    ['that runs a command', { running: 'make', isAtPrompt: false }, 'It runs: make'],
    ['that draws its prompt', { look: { ...SHELL, reads: false } }, 'later'],
    ['between two prompts', { isAtPrompt: false }, 'later'],
    ['with a program', { look: VIM }, 'In the foreground is vim.'],
    [
      'with a program that marks have not told of yet',
      { look: VIM, isAtPrompt: true },
      'In the foreground is vim.',
    ],
    ['that is started and starts programs', { look: VIM, isYoung: true, ...UNMARKED }, 'later'],
    ['that was started long ago, with a program', { look: VIM, ...UNMARKED }, 'In the foreground is vim.'],
    [
      'with a script of its own',
      { look: { ...SHELL, isShell: false, program: 'x.sh' } },
      'In the foreground is x.sh.',
    ],
    [
      'with a line that somebody has begun',
      { isLineOpen: true },
      'Somebody has begun a line at its prompt. Ctrl-C clears it.',
    ],
    ['into which somebody has just typed', { typedMs: 149 }, 'later'],
    ['into which somebody typed a moment ago', { typedMs: 150 }, 'marked'],
    ['that may still say that it wants pastes', { pastes: false, quietMs: 99 }, 'later'],
    ['that wants no pastes', { pastes: false, quietMs: 100 }, 'marked'],
    ['without marks', UNMARKED, 'unmarked'],
    ['without marks until now', { ...UNMARKED, waits: { ms: 249, looks: 10 } }, 'later'],
    ['without marks that was looked at too rarely', { ...UNMARKED, waits: { ms: 1000, looks: 5 } }, 'later'],
    ['without marks that has just printed something', { ...UNMARKED, quietMs: 249 }, 'later'],
    ['without marks that does not read', { ...UNMARKED, look: { ...SHELL, reads: false } }, 'later'],
    ['without marks on a system that tells nothing', { ...UNMARKED, look: null }, 'later'],
    ['without marks that may not be looked at', { ...UNMARKED, look: { ...SHELL, reads: null } }, 'later'],
    ['into which a run was typed', { run: { hasBegun: false, isInterrupted: false } }, 'later'],
    ['whose run has begun', { run: { hasBegun: true, isInterrupted: false } }, 'later'],
    [
      'without marks whose run has begun, perhaps with `read`',
      { ...UNMARKED, run: { hasBegun: true, isInterrupted: false } },
      'The command before has not said that it ended. If the shell waits, Ctrl-C helps.',
    ],
    [
      'without marks whose run was interrupted',
      { ...UNMARKED, run: { hasBegun: true, isInterrupted: true } },
      'unmarked',
    ],
  ])('%s', (_, state, expected) => {
    expect(answer(state)).toBe(expected);
  });
});
