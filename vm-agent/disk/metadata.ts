/**
 * What is stored about a session besides its screen: enough to start its program again.
 *
 * The file has one line of JSON and one line with its checksum. People can read it, and a flipped bit cannot turn into
 * another command. The environment may contain the user's secrets, so only the owner can read the store's files.
 */
import { crc32 } from 'node:zlib';
import type { Size } from '../../protocol/frame.ts';
import type { StoredCommands } from '../commands/stored-commands.ts';
import type { Exit } from '../pty/pty.ts';

export interface SessionMetadata {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly name: string;
  /** The caller's own name for the session, used to find it again. */
  readonly key: string | null;
  readonly title: string | null;
  /** The session's position in the list. */
  readonly place: number;
  readonly size: Size;
  /** The version of the model that measures its text; absent if an agent wrote it that had only one. */
  readonly widths?: string;
  /** Proves that a mark in its output is ours; absent if an agent wrote it that made none. */
  readonly marksNonce?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Its own grace period, if it has one. */
  readonly graceMs?: number;
  /** When it will be closed unless somebody comes back first, ISO 8601; null or absent if it will not. */
  readonly closeAt?: string | null;
  /** How the program ended; null while it runs. */
  readonly exit: Exit | null;
  /** The last commands; absent if there were none. */
  readonly commands?: StoredCommands;
}

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
  const { version, ...metadata } = JSON.parse(json) as { version: unknown } & SessionMetadata;
  // The checksum proves that we wrote it, the version that it has this structure.
  return version === VERSION ? metadata : `it has version ${version}, and this agent knows ${VERSION}`;
}

function checksum(json: string): string {
  return `crc32 ${crc32(json).toString(16).padStart(8, '0')}`;
}
