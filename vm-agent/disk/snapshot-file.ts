/**
 * The format of snapshot files: everything a terminal needs to look as it did at `offset`.
 *
 *   0        3         4        8            16     18     20          24       28
 *   ┌────────┬─────────┬────────┬────────────┬──────┬──────┬───────────┬────────┬──────
 *   │ "HFS"  │ version │ crc32  │ offset     │ cols │ rows │ continues │ length │ data
 *   └────────┴─────────┴────────┴────────────┴──────┴──────┴───────────┴────────┴──────
 *                        of all   u64          u16    u16    u32         u32
 *                        after it
 *
 * `continues` is the number of the first journal segment that follows this screen. If a crash happens after the
 * snapshot is written and before older segments are deleted, those remain; they must not be replayed on top of it.
 */
import { crc32 } from 'node:zlib';
import { isSize, type Size } from '../../protocol/frame.ts';

export interface StoredSnapshot {
  /** The offset up to which the screen shows the output. */
  readonly offset: number;
  readonly size: Size;
  readonly data: Uint8Array;
}

export interface SnapshotFile extends StoredSnapshot {
  readonly continues: number;
}

const VERSION = 1;
const MAGIC = Uint8Array.from([0x48, 0x46, 0x53, VERSION]);
const HEADER_BYTES = 28;

export function encodeSnapshot(snapshot: SnapshotFile): Buffer {
  const { offset, size, data, continues } = snapshot;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + data.length);
  bytes.set(MAGIC, 0);
  bytes.writeBigUInt64BE(BigInt(offset), 8);
  bytes.writeUInt16BE(size.cols, 16);
  bytes.writeUInt16BE(size.rows, 18);
  bytes.writeUInt32BE(continues, 20);
  bytes.writeUInt32BE(data.length, 24);
  bytes.set(data, HEADER_BYTES);
  bytes.writeUInt32BE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** The snapshot, or what is wrong with the file. Never throws; `data` is a view into `file`. */
export function decodeSnapshot(file: Buffer): SnapshotFile | string {
  if (file.length < HEADER_BYTES) return 'it is incomplete';
  if (!file.subarray(0, 4).equals(MAGIC)) return `it does not begin as a snapshot of version ${VERSION}`;
  if (file.length !== HEADER_BYTES + file.readUInt32BE(24)) return 'it is incomplete';
  if (file.readUInt32BE(4) !== crc32(file.subarray(8))) return 'its checksum is wrong';
  const offset = Number(file.readBigUInt64BE(8));
  const size = { cols: file.readUInt16BE(16), rows: file.readUInt16BE(18) };
  if (!isSize(size) || !Number.isSafeInteger(offset)) return 'its size or its offset is impossible';
  return {
    offset,
    size,
    continues: file.readUInt32BE(20),
    data: file.subarray(HEADER_BYTES),
  };
}
