/**
 * `holdfast notify`: calls for attention from inside a session. It writes an escape sequence to its terminal and needs
 * neither token nor relay; terminals that know OSC 777 show a notification.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { ATTENTION_TEXT_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import type { Command } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

export const notifyCommand: Command = {
  name: 'notify',
  summary: 'call for attention from inside a session',
  operands: '<text>...',
  about: `Shows a text to whoever looks after this session: on its tab, in \`holdfast ls\` and as a notification. Run it in a shell
of the session, for example at the end of a script. It writes an escape sequence (OSC 777) to its own terminal, and needs
no token. Inside tmux, turn on \`set -g allow-passthrough on\`, otherwise tmux drops it.`,
  options: {},
  examples: [
    ["make; holdfast notify 'the build is ready'", 'calls you when it is done'],
    ['holdfast notify may I delete the cache?', 'words are joined'],
  ],
  async run(input) {
    const text = printable([...input.operands, ...(input.rest ?? [])].join(' '), ATTENTION_TEXT_MAX_CHARS);
    if (text === '') throw new UsageError('no text given');
    writeToTerminal(notification(text, process.env));
    return EXIT.ok;
  },
};

type Variables = Readonly<Record<string, string | undefined>>;

/** The text has no control characters, so it cannot end the sequence early. It has no title: what is shown is the text. */
export function notification(text: string, { TMUX, STY }: Variables): string {
  const sequence = `\x1b]777;notify;;${text}\x07`;
  // Both pass on what is inside a device control string; in tmux with every escape doubled.
  if (TMUX) return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`;
  return STY ? `\x1bP${sequence}\x1b\\` : sequence;
}

/** Also if stdout is redirected. */
function writeToTerminal(sequence: string): void {
  let terminal: number;
  try {
    terminal = openSync('/dev/tty', 'w');
  } catch {
    throw new CommandError(EXIT.unavailable, 'there is no terminal here; run it in a shell of the session');
  }
  try {
    writeSync(terminal, sequence);
  } finally {
    closeSync(terminal);
  }
}
