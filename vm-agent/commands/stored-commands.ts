/** A session's commands on disk, for the agent's next life. */
import { COMMANDS_STORED_MAX_BYTES } from '../../protocol/limits.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';

/** Without the place of its output: after a restart offsets count anew, and those bytes are gone. */
export type StoredCommand = Omit<SessionCommand, 'outputFrom' | 'outputTo'>;

/** The newest commands that fit, oldest first. */
export function storedCommands(commands: readonly SessionCommand[]): StoredCommand[] {
  const stored: StoredCommand[] = [];
  let room = COMMANDS_STORED_MAX_BYTES;
  for (const { outputFrom: _, outputTo: __, ...command } of commands.toReversed()) {
    room -= Buffer.byteLength(JSON.stringify(command)) + 1; // plus a comma
    if (room < 0) break;
    stored.push(command);
  }
  return stored.reverse();
}

/** The number of the next command: the first one of a shell that is started again. */
export function nextCommandNumber(commands: readonly Pick<SessionCommand, 'number'>[]): number {
  return 1 + commands.reduce((most, { number }) => Math.max(most, number), 0);
}
