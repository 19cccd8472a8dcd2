/**
 * What is stored about a session besides its screen: enough to start its program again.
 *
 * The file has one line of JSON and one line with its checksum. People can read it, and a flipped bit cannot turn into
 * another command. The environment may contain the user's secrets, so only the owner can read the store's files.
 */
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { COMMANDS_KEPT } from '../../protocol/limits.ts';
import { attentionSchema } from '../../protocol/messages/attention.ts';
import { sessionCommandSchema } from '../../protocol/messages/command-info.ts';
import { cells, count, id, time, widths } from '../../protocol/messages/message-parts.ts';

const commands = v.object({
  list: v.pipe(
    v.array(v.omit(sessionCommandSchema, ['outputFrom', 'outputTo'])),
    v.maxLength(COMMANDS_KEPT),
    v.readonly(),
  ),
  nextNumber: count,
});

/** What the session wants of a person, and up to where its output has been looked at for that. */
const savedAttention = v.object({
  current: v.nullable(attentionSchema),
  /** Notices before this offset have been seen, and commands that ended before it. */
  noticesTo: count,
  commandsTo: count,
});
export type SavedAttention = v.InferOutput<typeof savedAttention>;

/**
 * Read as strictly as a message: a value that no agent writes would end the agent while it starts, or have the relay
 * close its connection again and again.
 */
const metadataSchema = v.pipe(
  v.object({
    command: v.pipe(v.string(), v.minLength(1)),
    args: v.pipe(v.array(v.string()), v.readonly()),
    cwd: v.string(),
    env: v.pipe(v.record(v.string(), v.string()), v.readonly()),
    name: v.string(),
    /** The caller's own name for the session, used to find it again. */
    key: v.nullable(v.string()),
    title: v.nullable(v.string()),
    /** The session's position in the list. */
    place: count,
    size: v.object({ cols: cells, rows: cells }),
    /** The session that this one replaced, if it did. */
    replaces: v.exactOptional(id),
    /** The version of the model that measures its text; absent if an agent wrote it that had only one. */
    widths: v.exactOptional(widths),
    /** Proves that a mark in its output is ours; absent if an agent wrote it that made none. */
    marksNonce: v.exactOptional(id),
    createdAt: time,
    /** Its own grace period, if it has one. */
    graceMs: v.exactOptional(count),
    /** When it will be closed unless somebody comes back first; null or absent if it will not. */
    closeAt: v.exactOptional(v.nullable(time)),
    /** How the program ended; null while it runs. */
    exit: v.nullable(v.object({ code: v.nullable(v.number()), signal: v.nullable(v.string()) })),
    /** The last commands; absent if there were none. */
    commands: v.exactOptional(commands),
    /** Absent if an agent wrote it that noticed nothing. */
    attention: v.exactOptional(savedAttention),
  }),
  v.readonly(),
);
export type SessionMetadata = v.InferOutput<typeof metadataSchema>;

const VERSION = 1;

export function encodeMetadata(metadata: SessionMetadata): Buffer {
  const json = JSON.stringify({ version: VERSION, ...metadata });
  return Buffer.from(`${json}\n${checksum(json)}\n`);
}

/** The metadata, or what is wrong with the file. Never throws. */
export function decodeMetadata(file: Buffer): SessionMetadata | string {
  const [json, sum, rest, ...more] = file.toString('utf8').split('\n');
  if (json === undefined || rest !== '' || more.length > 0) return 'it is incomplete';
  if (sum !== checksum(json)) return 'its checksum is wrong';
  const value = parsed(json);
  const version = (value as { version?: unknown } | null | undefined)?.version;
  if (version !== VERSION) return `it has version ${version}, and this agent knows ${VERSION}`;
  const result = v.safeParse(metadataSchema, value, { abortEarly: true });
  if (result.success) return result.output;
  return `its field ${v.getDotPath(result.issues[0])} is not as an agent writes it`;
}

/** Undefined if it is no JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function checksum(json: string): string {
  return `crc32 ${crc32(json).toString(16).padStart(8, '0')}`;
}
