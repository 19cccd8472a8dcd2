/** A session's commands on disk, for the agent's next life. */
import { COMMANDS_STORED_MAX_BYTES } from '../../protocol/limits.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';

/** Without the place of its output: after a restart offsets count anew, and those bytes are gone. */
export type StoredCommand = Omit<SessionCommand, 'outputFrom' | 'outputTo'>;

export interface StoredCommands {
  /** Oldest first. */
  readonly list: readonly StoredCommand[];
  /** No command has this number, or a higher one. */
  readonly nextNumber: number;
}

/** The newest commands that fit, oldest first. */
export function storedList(commands: readonly SessionCommand[]): StoredCommand[] {
  const stored: StoredCommand[] = [];
  let room = COMMANDS_STORED_MAX_BYTES;
  for (const { outputFrom: _, outputTo: __, ...command } of commands.toReversed()) {
    room -= Buffer.byteLength(JSON.stringify(command)) + 1; // plus a comma
    if (room < 0) break;
    stored.push(command);
  }
  return stored.reverse();
}

/** The number of the first command of a shell: of a new session, or of one that is started again. */
export function nextCommandNumber(stored: StoredCommands | undefined): number {
  return stored?.nextNumber ?? 1;
}
