/** What happened in a session since some time, for somebody who was away. Pure. */
import { DIGEST_COMMANDS_MAX } from '../../protocol/limits.ts';
import type { Attention } from '../../protocol/messages/attention.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { SessionDigest } from '../../protocol/messages/digest.ts';
import { hasFailed, LONG_COMMAND_MS } from './noted-texts.ts';
import type { OutputRecord } from './output-record.ts';

/** What is read of a session. */
interface Digested {
  readonly identity: { readonly id: string };
  readonly name: string;
  /** Oldest first. */
  readonly commands: { readonly list: readonly SessionCommand[] };
  readonly notices: {
    readonly record: Pick<OutputRecord, 'printedSince'>;
    readonly described: { readonly attention?: Attention };
  };
}

/** Null if nothing happened. `since` is in milliseconds of the wall clock. */
export function sessionDigest(
  { identity, name, commands, notices }: Digested,
  since: number,
): SessionDigest | null {
  const { attention } = notices.described;
  const printedBytes = notices.record.printedSince(since);
  const ended = endedSince(commands.list, since);
  const failed = ended.filter(hasFailed);
  const isNew = attention !== undefined && Date.parse(attention.at) >= since;
  if (ended.length === 0 && printedBytes === 0 && !isNew) return null;
  return {
    session: identity.id,
    name,
    finished: ended.length,
    failed: failed.length,
    commands: worthNaming(ended, failed),
    printedBytes,
    ...(attention === undefined ? {} : { attention }),
  };
}

/**
 * Oldest first. A shell runs one command after the other, so those before one that ended earlier are not looked at: the
 * work is in proportion to what is answered, however many commands are kept and however often a viewer asks.
 */
function endedSince(commands: readonly SessionCommand[], since: number): SessionCommand[] {
  const ended: SessionCommand[] = [];
  for (let i = commands.length - 1; i >= 0; i--) {
    const command = commands[i] as SessionCommand;
    const end = endOf(command);
    if (end === undefined) continue;
    if (end < since) break;
    ended.push(command);
  }
  return ended.reverse();
}

/** When a command ended; undefined if it still runs, or if that is not known. */
function endOf({ startedAt, durationMs }: SessionCommand): number | undefined {
  return durationMs === null ? undefined : Date.parse(startedAt) + durationMs;
}

/** The newest that failed, and then the newest that took long. */
function worthNaming(ended: readonly SessionCommand[], failed: readonly SessionCommand[]): SessionCommand[] {
  const long = ended.filter((command) => !hasFailed(command) && (command.durationMs ?? 0) >= LONG_COMMAND_MS);
  const named = [...failed.toReversed(), ...long.toReversed()].slice(0, DIGEST_COMMANDS_MAX);
  return named.sort((a, b) => a.number - b.number);
}
