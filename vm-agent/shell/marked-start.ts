/**
 * How a shell has to be started so that it reads our script: an argument for bash and fish, ZDOTDIR for zsh. Pure, but
 * for a look at the shell's file.
 *
 * A shell that is started for anything else than reading commands from a person is left alone.
 */
import { closeSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { findCommand } from '../pty/launch-checks.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import { MARKS_VARIABLE } from '../pty/session-environment.ts';

export type MarkedShell = 'bash' | 'zsh' | 'fish';

/** By shell, the name under which it reads our script. Zsh chooses its own. */
export const SCRIPT_NAMES: Readonly<Record<MarkedShell, string>> = {
  bash: 'marks.bash',
  zsh: '.zshenv',
  fish: 'marks.fish',
};

export interface SessionMarks {
  /** Proves that a mark is ours. */
  readonly nonce: string;
  /** Commands are numbered from here. */
  readonly firstNumber: number;
}

/** The shell that this starts at a prompt; null if it starts something else. */
export function markedShellOf(spec: SpawnSpec): MarkedShell | null {
  const name = basename(spec.command);
  if (name !== 'bash' && name !== 'zsh' && name !== 'fish') return null;
  if (!spec.args.every((arg) => isPromptOption(name, arg))) return null;
  // In POSIX mode bash does not read the file that it is given.
  if (name === 'bash' && 'POSIXLY_CORRECT' in spec.env) return null;
  return isProgram(spec, name) ? name : null;
}

function isPromptOption(shell: MarkedShell, arg: string): boolean {
  return /^-[il]+$/.test(arg) || arg === '--login' || (arg === '--interactive' && shell !== 'bash');
}

/** Whether the file is the shell: not another program under its name, such as busybox, nor a script. */
function isProgram(spec: SpawnSpec, name: MarkedShell): boolean {
  try {
    const file = realpathSync(findCommand(spec));
    return basename(file).startsWith(name) && firstBytes(file) !== '#!';
  } catch {
    return false;
  }
}

function firstBytes(file: string): string {
  const bytes = Buffer.alloc(2);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
  return bytes.toString('latin1');
}

/** Where zsh looks first, on Debian and elsewhere. */
const SYSTEM_ZSHENV = ['/etc/zshenv', '/etc/zsh/zshenv'];

/**
 * Why this shell cannot be made to read our script; null if it can. Zsh reads a file of the system first: one that sets
 * ZDOTDIR would set it past our folder, or not at all because it is set.
 */
export function obstacleOf(
  shell: MarkedShell,
  systemFiles: readonly string[] = SYSTEM_ZSHENV,
): string | null {
  if (shell !== 'zsh') return null;
  const file = systemFiles.find((path) => textOf(path).includes('ZDOTDIR'));
  return file === undefined ? null : `${file} sets ZDOTDIR`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** `folder` holds the scripts under their SCRIPT_NAMES. */
export function markedStart(
  spec: SpawnSpec,
  shell: MarkedShell,
  folder: string,
  { nonce, firstNumber }: SessionMarks,
): SpawnSpec {
  const { args, env } = spec;
  const script = `${folder}/${SCRIPT_NAMES[shell]}`;
  const withMarks = (...more: string[]) => ({
    ...env,
    [MARKS_VARIABLE]: [nonce, firstNumber, ...more].join(':'),
  });
  switch (shell) {
    case 'bash': {
      // A login shell would not read our file, so it is started as another, and the script does what is missing.
      const isLogin = args.some((arg) => /^-[il]*l|^--login$/.test(arg));
      const isInteractive = args.some((arg) => /^-[il]*i/.test(arg));
      const kept = isInteractive ? ['-i'] : [];
      return {
        ...spec,
        args: ['--init-file', script, ...kept],
        env: isLogin ? withMarks('login') : withMarks(),
      };
    }
    case 'zsh': {
      const { ZDOTDIR } = env;
      const marks = ZDOTDIR === undefined ? withMarks() : withMarks(ZDOTDIR);
      return { ...spec, env: { ...marks, ZDOTDIR: folder } };
    }
    case 'fish':
      return {
        ...spec,
        args: ['--init-command', `source ${quotedForFish(script)}`, ...args],
        env: withMarks(),
      };
  }
}

function quotedForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
