/** `holdfast attach`: uses a session in this terminal. */
import { type AttachHow, attachTo } from '../attach/attach-to.ts';
import { DEFAULT_DETACH_KEY, readDetachKey } from '../attach/detach-key.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { sessionMeant } from '../client/find-session.ts';
import type { Command, Input, Option } from '../command-line/command.ts';

/** The options for attaching, shared with `new --attach`. */
export const ATTACH_OPTIONS = {
  'read-only': { short: 'r', meaning: 'watch: nothing is typed, and this window decides no size' },
  'detach-key': {
    value: '<key>',
    meaning: 'the key that detaches (HOLDFAST_DETACH_KEY), default: ctrl-]; `none` for no key',
  },
  history: { meaning: 'begin with the lines above the screen, for scrolling back' },
  force: {
    meaning: 'attach also to the session that this command runs in, which feeds its output back into it',
  },
} as const satisfies Record<string, Option>;

export const attachCommand: Command = {
  name: 'attach',
  summary: 'use a session in this terminal',
  operands: '[<session>]',
  about: `Shows a session in this terminal and types into it. Ctrl-] detaches; the session keeps running. When the connection is
lost it comes back by itself: what was printed meanwhile is shown, what was typed is typed once, and after more than a
second the last row says so. Ends with the exit code of the program. Without a session, the only one that runs.

The terminal has the size of the window that typed last; a window that is too small for it takes over. This terminal is
sent what draws and nothing else: the machine answers what programs ask of a terminal, and focus reports and the clipboard
stay out of it.`,
  options: {
    ...ATTACH_OPTIONS,
    'take-over': { meaning: 'this window decides the size at once, not only after the first key' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast attach build', 'by name; an id, the beginning of one, or a key do as well'],
    ['holdfast attach --read-only build', 'over the shoulder of whoever works there'],
    ['HOLDFAST_DETACH_KEY=ctrl-q holdfast attach', 'leaves Ctrl-] to vim'],
  ],
  async run(input) {
    const how = attachOptions(input);
    const [meant] = input.operands;
    return withClient(clientSettings(input), async (client, connected) => {
      const session = await sessionMeant(client, meant);
      return attachTo(connected, session, how);
    });
  },
};

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
