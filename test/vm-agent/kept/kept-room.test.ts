/** The keeper has room for everything that an agent leaves, however a program fills its screen and its commands. */
import { expect, it } from 'vitest';
import {
  COMMAND_LINE_MAX_CHARS,
  COMMAND_LINES_KEPT_MAX_CHARS,
  COMMANDS_KEPT,
  COMMANDS_STORED_MAX_BYTES,
} from '../../../protocol/limits.ts';
import { CommandLog } from '../../../vm-agent/commands/command-log.ts';
import { KeptBlobs } from '../../../vm-agent/keeper/kept-blobs.ts';
import { CHECKPOINT_MAX_BYTES } from '../../../vm-agent/kept/kept-storage.ts';

/** Three bytes in UTF-8, and one character in our limits. */
const LINE = '漢'.repeat(COMMAND_LINE_MAX_CHARS);

function longestCommands(): Buffer {
  const log = new CommandLog({ nonce: null, earlier: undefined });
  const moment = { date: new Date(0), now: 0 };
  const mark = { kind: 'output', nonce: null, number: null, exitCode: null, commandLine: LINE } as const;
  for (let from = 0; from < COMMANDS_KEPT; from++) log.see({ mark, from, to: from + 1 }, moment);
  return Buffer.from(JSON.stringify({ to: 0, log: log.save(moment) }));
}

it('[K1] what an agent leaves of a session fits: the largest screen, the longest commands and the metadata', () => {
  const blobs = new KeptBlobs();
  const commands = longestCommands();
  expect(commands.length).toBeGreaterThan(3 * COMMAND_LINES_KEPT_MAX_CHARS);
  const left = {
    metadata: new Uint8Array(2 * COMMANDS_STORED_MAX_BYTES),
    commands,
    checkpoint: new Uint8Array(CHECKPOINT_MAX_BYTES),
  };
  for (const [name, bytes] of Object.entries(left)) blobs.put(name, bytes);
  expect(blobs.entries().map(([name]) => name)).toEqual(Object.keys(left));
});
