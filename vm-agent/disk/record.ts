/**
 * The format of journal files: a session's output and resizes since its snapshot, in order.
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
 * All integers are big-endian. Each record starts at the offset where the previous one ended. A reader stops at the
 * first record that is truncated, corrupt or out of sequence; everything before it is valid.
 */
import { crc32 } from 'node:zlib';
import { isSize, type Size } from '../../protocol/frame.ts';

export type JournalRecord =
  | { readonly type: 'output'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly offset: number; readonly size: Size };

/** Increment when the layout changes. Files of other versions go to the quarantine. */
const VERSION = 1;
export const JOURNAL_HEADER: Readonly<Uint8Array> = Uint8Array.from([0x48, 0x46, 0x4a, VERSION]);

export const RECORD_HEADER_BYTES = 17;

/** Limits how much a reader skips when a flipped bit corrupts a length. */
export const RECORD_BODY_MAX_BYTES = 64 * 1024;

export const RESIZE_BODY_BYTES = 4;

const TYPE_NUMBERS = { output: 1, resize: 2 } as const;

/** Completes the record whose body is already at `at + RECORD_HEADER_BYTES`. */
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
  /** How many bytes from the start of the file are valid. */
  readonly validBytes: number;
  /** Why reading stopped early; null if the whole file was read. */
  readonly flaw: string | null;
}

/** The longest valid prefix of `file`. Never throws; records are views into `file`. */
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
  if (file.length - at < RECORD_HEADER_BYTES) return 'an incomplete record';
  const length = file.readUInt32BE(at + 4);
  if (length > RECORD_BODY_MAX_BYTES) return 'a record of impossible length';
  const bytes = RECORD_HEADER_BYTES + length;
  if (file.length - at < bytes) return 'an incomplete record';
  if (file.readUInt32BE(at) !== crc32(file.subarray(at + 4, at + bytes))) return 'a wrong checksum';
  const offset = Number(file.readBigUInt64BE(at + 9));
  if (!Number.isSafeInteger(offset)) return 'an impossible offset';
  if (expected !== null && offset !== expected) return 'a hole';
  const body = file.subarray(at + RECORD_HEADER_BYTES, at + bytes);
  const type = file.readUInt8(at + 8);
  if (type === TYPE_NUMBERS.output) return { record: { type: 'output', offset, bytes: body }, bytes };
  if (type === TYPE_NUMBERS.resize && length === RESIZE_BODY_BYTES) {
    const size = { cols: body.readUInt16BE(0), rows: body.readUInt16BE(2) };
    if (!isSize(size)) return 'a resize to an impossible size';
    return { record: { type: 'resize', offset, size }, bytes };
  }
  return `a record of unknown type ${type}`;
}
