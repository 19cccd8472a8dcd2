/**
 * Reassembles a session's screen from the data on disk. Pure functions; load-session.ts reads the files.
 *
 *   snapshot ──────► segment ──► segment        Each segment begins at or before the offset reached so far.
 *   (or nothing)                                If one begins later, there is a gap, and nothing after it is
 *                                               used: half of a program's drawing is not a screen.
 */
import type { SessionMetadata } from './metadata.ts';
import { type JournalRecord, recordEnd } from './record.ts';
import type { StoredSnapshot } from './snapshot-file.ts';

/** A session as an earlier agent process left it. */
export interface RecoveredSession {
  readonly id: string;
  readonly metadata: SessionMetadata;
  /** The initial screen; null means an empty one of `metadata.size`. */
  readonly snapshot: StoredSnapshot | null;
  /** The records after it, in order and without gaps. */
  readonly replay: readonly JournalRecord[];
  /** Offset after the last recovered byte. A session that continues counting here continues the journal. */
  readonly end: number;
  /** Roughly how many bytes are known to be missing. */
  readonly lostBytes: number;
  /** When it was last written to. */
  readonly savedAt: Date;
}

export interface ReadSegment {
  readonly number: number;
  readonly records: readonly JournalRecord[];
  /** Bytes of the file that could not be read. */
  readonly unreadableBytes: number;
}

interface Assembled {
  readonly replay: readonly JournalRecord[];
  readonly end: number;
  readonly lostBytes: number;
  /** Numbers of the segments after a gap. */
  readonly unreachable: readonly number[];
}

/** `segments` are in order of their numbers. */
export function assemble(snapshot: StoredSnapshot | null, segments: readonly ReadSegment[]): Assembled {
  const filled = segments.filter(({ records }) => records.length > 0);
  // Without a snapshot, the end of the output is better than nothing; a terminal can start anywhere.
  const start = snapshot?.offset ?? filled[0]?.records[0]?.offset ?? 0;
  const replay: JournalRecord[] = [];
  let end = start;
  let reached = 0;
  for (const { records } of filled) {
    if ((records[0]?.offset ?? 0) > end) break;
    for (const record of records) {
      const rest = after(end, record);
      if (rest !== null) replay.push(rest);
      end = Math.max(end, recordEnd(record));
    }
    reached += 1;
  }
  const unreachable = filled.slice(reached);
  const furthest = Math.max(end, ...unreachable.flatMap(({ records }) => records.slice(-1)).map(recordEnd));
  const unreadable = segments.reduce((sum, { unreadableBytes }) => sum + unreadableBytes, 0);
  const before = snapshot === null ? start : 0;
  return {
    replay,
    end,
    lostBytes: before + (furthest - end) + unreadable,
    unreachable: unreachable.map(({ number }) => number),
  };
}

/** The part of `record` at or after `offset`; null if there is none. */
function after(offset: number, record: JournalRecord): JournalRecord | null {
  if (record.offset >= offset) return record;
  if (recordEnd(record) <= offset || record.type !== 'output') return null;
  return { type: 'output', offset, bytes: record.bytes.subarray(offset - record.offset) };
}
