/** `holdfast attach`: uses a session in this terminal. */
import { say } from '../../node/print.ts';
import { PERSON_NAME_MAX_CHARS } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { type AttachHow, attachTo } from '../attach/attach-to.ts';
import { DEFAULT_DETACH_KEY, readDetachKey } from '../attach/detach-key.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { sessionMeant } from '../client/find-session.ts';
import type { Command, Input, Option } from '../command-line/command.ts';

/** The options for attaching, shared with `new --attach`. */
export const ATTACH_OPTIONS = {
  'read-only': { short: 'r', meaning: 'watch only: send no input and do not change the size' },
  'detach-key': {
    value: '<key>',
    meaning: 'the key that detaches (HOLDFAST_DETACH_KEY), default: ctrl-]; `none` for no key',
  },
  history: { meaning: 'print the history first, for scrolling back' },
  force: {
    meaning: 'attach even to the session that this command runs in, which feeds its output back into it',
  },
} as const satisfies Record<string, Option>;

export const attachCommand: Command = {
  name: 'attach',
  summary: 'use a session in this terminal',
  operands: '[<session>]',
  about: `Shows a session in this terminal and types into it. Ctrl-] detaches; the session keeps running. If the connection is
lost, the command reconnects: it shows the missed output and types pending input exactly once. If this takes more than a
second, the last row says so. Exits with the exit code of the program. Without a session, uses the only running one.

The terminal has the size of the window that typed last; a window that is too small for it takes over. This terminal
receives only sequences that draw: the machine answers the queries of programs, and focus reports and clipboard access
are filtered out.`,
  options: {
    ...ATTACH_OPTIONS,
    'take-over': { meaning: 'take over the size at once, not only after the first key' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast attach build', 'by name, key, id or the beginning of an id'],
    ['holdfast attach --read-only build', 'watch without typing'],
    ['HOLDFAST_DETACH_KEY=ctrl-q holdfast attach', 'keeps Ctrl-] for vim'],
  ],
  async run(input) {
    const how = attachOptions(input);
    const [meant] = input.operands;
    return withClient(clientSettings(input), async (client, connected) => {
      const session = await sessionMeant(client, meant);
      sayWhoIsHere(session);
      return attachTo(connected, session, how);
    });
  },
};

/** Before the terminal shows the session. Who is called by a role is nobody that a reader knows. */
function sayWhoIsHere({ people = [] }: SessionInfo): void {
  const others = people.filter(({ name, you }) => you !== true && !NAMELESS.test(name));
  const names = others.map(({ name }) => printable(name, PERSON_NAME_MAX_CHARS));
  if (names.length > 0) say(`holdfast: watched by ${names.join(', ')}`);
}

const NAMELESS = /^(operator|viewer)( \d+)?$/;

export function attachOptions(input: Input): AttachHow {
  const key = input.text('detach-key') ?? process.env.HOLDFAST_DETACH_KEY;
  return {
    isReadOnly: input.has('read-only'),
    withHistory: input.has('history'),
    takesOver: input.has('take-over'),
    detachKey: readDetachKey(key || DEFAULT_DETACH_KEY),
    isForced: input.has('force'),
  };
}
