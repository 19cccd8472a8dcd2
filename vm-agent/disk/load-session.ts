/**
 * Reads one session's directory after a restart. Damaged data is moved to the quarantine. What remains is consistent,
 * so the agent's next life can continue writing there.
 */
import { lstat, readdir, rm, rmdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY_SUFFIX } from '../../node/private-files.ts';
import { STORED_METADATA_MAX_BYTES, STORED_SNAPSHOT_MAX_BYTES } from '../../protocol/limits.ts';
import { inflateState } from '../screen/deflate.ts';
import { type Segment, segmentName, segmentNumber } from './journal-file.ts';
import { decodeMetadata } from './metadata.ts';
import { readOwnFile, requireOwnDirectory } from './own-files.ts';
import type { Quarantine } from './quarantine.ts';
import { decodeJournal, recordEnd } from './record.ts';
import { assemble, type ReadSegment, type RecoveredSession } from './recovery.ts';
import { decodeSnapshot, type SnapshotFile } from './snapshot-file.ts';

export const METADATA_NAME = 'metadata.json';
export const SNAPSHOT_NAME = 'snapshot';

export interface LoadedSession {
  readonly recovered: RecoveredSession;
  readonly metadataBytes: number;
  readonly snapshotBytes: number;
  readonly segments: readonly Segment[];
  readonly nextNumber: number;
}

/** Null if there is no session to restore. Throws if somebody else could have written it. */
export async function loadSession(
  dir: string,
  id: string,
  quarantine: Quarantine,
): Promise<LoadedSession | null> {
  await requireOwnDirectory(dir);
  const names = await readdir(dir);
  for (const name of names) if (name.endsWith(TEMPORARY_SUFFIX)) await rm(join(dir, name));
  const savedAt = await newest(dir);
  const metadata = await readPart(dir, id, METADATA, quarantine);
  if (metadata === null) {
    await abandon(dir, id, quarantine);
    return null;
  }
  const snapshot = await readPart(dir, id, SNAPSHOT, quarantine);
  const numbers = names.map(segmentNumber).filter((number) => number !== null);
  const read = await readSegments(dir, id, numbers, snapshot?.value.continues ?? 0, quarantine);
  const assembled = assemble(snapshot?.value ?? null, read);
  for (const number of assembled.unreachable) {
    const name = segmentName(number);
    await quarantine.takeFile(join(dir, name), `${id}/${name}`, 'output before it is missing');
  }
  return {
    recovered: { id, metadata: metadata.value, snapshot: snapshot?.value ?? null, ...assembled, savedAt },
    metadataBytes: metadata.bytes,
    snapshotBytes: snapshot?.bytes ?? 0,
    segments: read.filter(({ number }) => !assembled.unreachable.includes(number)).flatMap(segmentOf),
    // Never reuse a number that a snapshot counts as older than itself.
    nextNumber: Math.max(snapshot?.value.continues ?? 0, ...numbers.map((number) => number + 1)),
  };
}

/** A file that is replaced as a whole. */
interface Part<T> {
  readonly name: string;
  readonly maxBytes: number;
  /** What is in it, or what is wrong with it. */
  readonly decode: (file: Buffer) => T | string;
}

const METADATA = { name: METADATA_NAME, maxBytes: STORED_METADATA_MAX_BYTES, decode: decodeMetadata };
const SNAPSHOT = { name: SNAPSHOT_NAME, maxBytes: STORED_SNAPSHOT_MAX_BYTES, decode: decodeScreen };

/** Decodes a whole file; null if it is missing or went to the quarantine. */
async function readPart<T extends object>(
  dir: string,
  id: string,
  { name, maxBytes, decode }: Part<T>,
  quarantine: Quarantine,
): Promise<{ readonly value: T; readonly bytes: number } | null> {
  const file = await readOwnFile(join(dir, name), maxBytes);
  if (file === null) return null;
  const value = decode(file);
  if (typeof value !== 'string') return { value, bytes: file.length };
  await quarantine.takeFile(join(dir, name), `${id}/${name}`, value);
  return null;
}

/** A snapshot with an intact file and a screen that inflates. The checksum only proves that the file is as written. */
function decodeScreen(file: Buffer): SnapshotFile | string {
  const snapshot = decodeSnapshot(file);
  if (typeof snapshot === 'string') return snapshot;
  try {
    inflateState(snapshot.data);
    return snapshot;
  } catch (error) {
    return `its screen cannot be inflated (${(error as Error).message})`;
  }
}

/** Without metadata the program is unknown. Only an empty directory is removed without a warning. */
async function abandon(dir: string, id: string, quarantine: Quarantine): Promise<void> {
  for (const name of await readdir(dir)) {
    await quarantine.takeFile(join(dir, name), `${id}/${name}`, 'its session is unknown');
  }
  await rmdir(dir);
}

async function readSegments(
  dir: string,
  id: string,
  numbers: readonly number[],
  first: number,
  quarantine: Quarantine,
): Promise<(ReadSegment & { readonly bytes: number })[]> {
  const read = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const path = join(dir, segmentName(number));
    const file = number < first ? null : await readOwnFile(path);
    if (file === null || file.length === 0) {
      await rm(path, { force: true });
      continue;
    }
    const { records, validBytes, flaw } = decodeJournal(file);
    const label = `${id}/${segmentName(number)}`;
    if (flaw !== null && records.length === 0) await quarantine.takeFile(path, label, flaw);
    else if (flaw !== null) {
      await quarantine.takeRest(file.subarray(validBytes), label, flaw);
      await truncate(path, validBytes);
    }
    read.push({ number, records, unreadableBytes: file.length - validBytes, bytes: validBytes });
  }
  return read;
}

function segmentOf({ number, records, bytes }: ReadSegment & { readonly bytes: number }): Segment[] {
  const last = records.at(-1);
  if (last === undefined) return [];
  return [{ number, bytes, end: recordEnd(last), endsWithResize: last.type === 'resize' }];
}

async function newest(dir: string): Promise<Date> {
  const names = await readdir(dir);
  const times = await Promise.all(names.map(async (name) => (await lstat(join(dir, name))).mtimeMs));
  return new Date(Math.max(0, ...times));
}
