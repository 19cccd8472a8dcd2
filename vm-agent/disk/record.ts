/**
 * The journal's bytes: what a session printed since its snapshot, and when its size changed, in order.
 *
 *   file     ┌───────────┬─────────┬────────┬────────┬─
 *            │ "HFJ"     │ version │ record │ record │ …
 *            └───────────┴─────────┴────────┴────────┴─
 *
 *   record   0         4         8      9                17
 *            ┌─────────┬─────────┬──────┬────────────────┬─────────────────────────────────
 *            │ crc32   │ length  │ type │ offset         │ body, `length` bytes
 *            └─────────┴─────────┴──────┴────────────────┴─────────────────────────────────
 *              of all    u32       u8     u64, below 2^53  1 output: bytes the program printed
 *              after it                                    2 resize: cols u16, rows u16
 *
 * All integers are big-endian. Each record begins where the one before it ended, so a reader needs no
 * trust: it stops at the first record that is torn, altered or out of place, and all before it is true.
 */
import { crc32 } from 'node:zlib';
import type { Size } from '../../protocol/frame.ts';

export type JournalRecord =
  | { readonly type: 'output'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly offset: number; readonly size: Size };

/** Raise it when the layout changes: a file of another version is set aside, not guessed at. */
const VERSION = 1;
export const JOURNAL_HEADER: Readonly<Uint8Array> = Uint8Array.from([0x48, 0x46, 0x4a, VERSION]);

export const RECORD_HEADER_BYTES = 17;

/** A flipped bit in a length must not make the reader swallow megabytes before it notices. */
export const RECORD_BODY_MAX_BYTES = 64 * 1024;

export const RESIZE_BODY_BYTES = 4;

const TYPE_NUMBERS = { output: 1, resize: 2 } as const;

/** Completes the record whose body already lies at `at + RECORD_HEADER_BYTES`. */
export function sealRecord(
  bytes: Buffer,
  at: number,
  type: JournalRecord['type'],
  offset: number,
  length: number,
): void {
  bytes.writeUInt32BE(length, at + 4);
  bytes.writeUInt8(TYPE_NUMBERS[type], at + 8);
  bytes.writeBigUInt64BE(BigInt(offset), at + 9);
  bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, at + RECORD_HEADER_BYTES + length)), at);
}

interface DecodedJournal {
  readonly records: readonly JournalRecord[];
  /** How much of the file, from its beginning, is whole. */
  readonly validBytes: number;
  /** Why reading stopped before the end; null when everything was read. */
  readonly flaw: string | null;
}

/** The longest beginning of `file` that can be believed. Never throws; records are views into `file`. */
export function decodeJournal(file: Buffer): DecodedJournal {
  const head = JOURNAL_HEADER.length;
  if (!file.subarray(0, head).equals(JOURNAL_HEADER)) {
    return { records: [], validBytes: 0, flaw: `it does not begin as a journal of version ${VERSION}` };
  }
  const records: JournalRecord[] = [];
  let at = head;
  let next: number | null = null;
  while (at < file.length) {
    const read = readRecord(file, at, next);
    if (typeof read === 'string') return { records, validBytes: at, flaw: `${read} at byte ${at}` };
    records.push(read.record);
    at += read.bytes;
    next = recordEnd(read.record);
  }
  return { records, validBytes: at, flaw: null };
}

/** Offset of the first byte printed after `record`. */
export function recordEnd(record: JournalRecord): number {
  return record.type === 'output' ? record.offset + record.bytes.length : record.offset;
}

/** The record at `at`, or what is wrong with it. */
function readRecord(
  file: Buffer,
  at: number,
  expected: number | null,
): { readonly record: JournalRecord; readonly bytes: number } | string {
  if (file.length - at < RECORD_HEADER_BYTES) return 'half a record';
  const length = file.readUInt32BE(at + 4);
  if (length > RECORD_BODY_MAX_BYTES) return 'a record of impossible length';
  const bytes = RECORD_HEADER_BYTES + length;
  if (file.length - at < bytes) return 'half a record';
  if (file.readUInt32BE(at) !== crc32(file.subarray(at + 4, at + bytes))) return 'a wrong checksum';
  const offset = Number(file.readBigUInt64BE(at + 9));
  if (expected !== null && offset !== expected) return 'a hole';
  const body = file.subarray(at + RECORD_HEADER_BYTES, at + bytes);
  const type = file.readUInt8(at + 8);
  if (type === TYPE_NUMBERS.output) return { record: { type: 'output', offset, bytes: body }, bytes };
  if (type === TYPE_NUMBERS.resize && length === RESIZE_BODY_BYTES) {
    const size = { cols: body.readUInt16BE(0), rows: body.readUInt16BE(2) };
    return { record: { type: 'resize', offset, size }, bytes };
  }
  return `a record of unknown type ${type}`;
}
