/** The words for what happened in a session. Pure. */
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import { printable } from '../../protocol/printable.ts';
import type { Exit } from '../pty/pty.ts';
import type { InputWait } from '../pty/waiting-for-input.ts';
import type { Noted } from './session-attention.ts';

/** A command that takes as long is not waited for. */
export const LONG_COMMAND_MS = 10_000;

/** Enough to know a command by; the rest of the text says how it ended. */
const COMMAND_MAX_CHARS = 160;

type Happened = Pick<Noted, 'state' | 'text'>;

/** Null if the command was short. A command without a known exit code is not said to have failed. */
export function commandEnded({ commandLine, exitCode, durationMs }: SessionCommand): Happened | null {
  if (durationMs === null || durationMs < LONG_COMMAND_MS) return null;
  const command = printable(commandLine ?? '', COMMAND_MAX_CHARS) || 'A command';
  const time = notedDuration(durationMs);
  return hasFailed({ exitCode })
    ? { state: 'failed', text: `${command} (exit ${exitCode}, ${time})` }
    : { state: 'done', text: `${command} (${time})` };
}

export function hasFailed({ exitCode }: Pick<SessionCommand, 'exitCode'>): boolean {
  return exitCode !== null && exitCode !== 0;
}

export function programEnded({ code, signal }: Exit): Happened {
  if (signal !== null) return { state: 'failed', text: `Ended by ${signal}` };
  return code === null || code === 0
    ? { state: 'done', text: 'Ended' }
    : { state: 'failed', text: `Ended with exit code ${code}` };
}

export function waitingText({ echoOff, program }: Pick<InputWait, 'echoOff' | 'program'>): string {
  return `${program ?? 'A program'} waits for ${echoOff ? 'a password' : 'input'}`;
}

/** In the largest unit of which there are two or more, as people say it. */
export function notedDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
