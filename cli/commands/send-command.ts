/** `holdfast send`: types into a session, and succeeds only once its terminal has taken everything. */
import { buffer } from 'node:stream/consumers';
import type { AttachedSession } from '../../client/attached-session.ts';
import { INPUT_BACKLOG_MAX_BYTES } from '../../protocol/limits.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { readSeconds, until } from '../client/deadline.ts';
import { sessionMeant } from '../client/find-session.ts';
import { pressedBytes } from '../client/keys.ts';
import { NO_SCREEN } from '../client/no-screen.ts';
import { thisUser } from '../client/this-user.ts';
import type { Command, Input } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

export const sendCommand: Command = {
  name: 'send',
  summary: 'type into a session',
  operands: '<session> [<text>...]',
  about: `Types into a session: the text, then the keys of --key, then Enter with --enter. Without any of them, types standard
input, byte for byte. Ends when the terminal has taken all of it. Nothing is typed twice. Exit code 75 means that the
connection was lost and it is not known how much was typed, 73 that an assistant has the keyboard.`,
  options: {
    enter: { meaning: 'press Enter at the end' },
    key: {
      value: '<key>',
      short: 'k',
      multiple: true,
      meaning: 'press a key: enter, tab, escape, up, ctrl-c, …; an unknown name lists all keys',
    },
    timeout: { value: '<seconds>', meaning: 'how long to wait for the terminal, default: 30' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ["holdfast send build 'make test' --enter", 'runs a command in it'],
    ['holdfast send build --key ctrl-c', 'interrupts the running program'],
    ['holdfast send notes < notes.txt', 'types a file'],
  ],
  async run(input) {
    const [meant, ...words] = input.operands;
    if (meant === undefined) throw new UsageError('no session given');
    const within = readSeconds(input.text('timeout'), 30);
    const settings = clientSettings(input);
    const bytes = await bytesToType(input, [...words, ...(input.rest ?? [])]);
    return withClient(settings, async (client) => {
      const { id, status } = await sessionMeant(client, meant);
      if (status !== 'running') throw new CommandError(EXIT.failed, `${meant} has ended; nothing was typed`);
      if (client.state.name === 'live' && client.state.agent.state === 'offline')
        throw new CommandError(EXIT.unavailable, 'the machine is offline; nothing was typed');
      if (client.role === 'viewer') throw new CommandError(EXIT.notAllowed, 'a viewer may not type');
      const session = client.attach(id, null, NO_SCREEN, {
        ...{ isVisible: false, isScript: true },
        holder: thisUser(),
      });
      session.type(bytes);
      await taken(session, within);
      return EXIT.ok;
    });
  },
};

async function bytesToType(input: Input, words: readonly string[]): Promise<Uint8Array> {
  const keys = input.list('key').map(pressedBytes).join('');
  const text = words.join(' ') + keys + (input.has('enter') ? '\r' : '');
  if (text === '' && process.stdin.isTTY)
    throw new UsageError('nothing to type; give a text, --key or standard input');
  const bytes = text === '' ? new Uint8Array(await buffer(process.stdin)) : new TextEncoder().encode(text);
  if (bytes.length > INPUT_BACKLOG_MAX_BYTES)
    throw new UsageError(`the input has ${bytes.length} bytes; the limit is ${INPUT_BACKLOG_MAX_BYTES}`);
  return bytes;
}

/** Resolves when the terminal has taken every byte. */
async function taken(session: AttachedSession, withinSeconds: number): Promise<void> {
  const settled = await until(
    withinSeconds,
    (listener) => session.onChange(listener),
    () => {
      const { state, exit, inputRefusal, unsentBytes } = session;
      if (state.name === 'gone') throw new CommandError(EXIT.noSession, state.why);
      if (unsentBytes === 0 && session.discardedBytes === 0) return true;
      if (inputRefusal !== null) throw new CommandError(EXIT.busy, inputRefusal.message);
      if (exit !== null) throw new CommandError(EXIT.failed, 'the program ended before all of it was typed');
      // The agent has restarted, and what the old one took is unknown.
      return session.discardedBytes > 0 ? false : undefined;
    },
  );
  if (settled === true) return;
  throw new CommandError(
    EXIT.unknown,
    'it is not known how much was typed: the program is not reading input, or the machine is unreachable. Check before you repeat it',
  );
}
