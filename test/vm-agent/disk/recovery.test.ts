import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMetadata, encodeMetadata } from '../../../vm-agent/disk/metadata.ts';
import { decodeJournal } from '../../../vm-agent/disk/record.ts';
import { assemble, type ReadSegment } from '../../../vm-agent/disk/recovery.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../vm-agent/disk/snapshot-file.ts';
import { checkProperty } from '../../support/property.ts';
import { anyBatches, journalFile, type Step, story, storyOf } from './journal-bytes.ts';
import { someMetadata } from './some-session.ts';

const size = { cols: 80, rows: 24 };
const snapshotAt = (offset: number) => ({ offset, size, data: Buffer.from('screen') });

function segment(number: number, from: number, text: string, unreadableBytes = 0): ReadSegment {
  const { records } = decodeJournal(journalFile([[{ print: Buffer.from(text) }]], from));
  return { number, records, unreadableBytes };
}

const shown = ({ replay }: { replay: Parameters<typeof story>[0] }) =>
  Buffer.from(story(replay), 'hex').toString();

describe('the files found on disk', () => {
  it.each([
    { name: 'nothing', snapshot: null, segments: [], text: '', end: 0, lost: 0, unreachable: [] },
    {
      name: 'a snapshot alone',
      snapshot: snapshotAt(9),
      segments: [],
      text: '',
      end: 9,
      lost: 0,
      unreachable: [],
    },
    {
      name: 'a journal from the beginning',
      snapshot: null,
      segments: [segment(0, 0, 'abc')],
      text: 'abc',
      end: 3,
      lost: 0,
      unreachable: [],
    },
    {
      name: 'segments after a snapshot',
      snapshot: snapshotAt(2),
      segments: [segment(4, 2, 'cd'), segment(5, 4, 'ef')],
      text: 'cdef',
      end: 6,
      lost: 0,
      unreachable: [],
    },
    {
      name: 'a segment that overlaps the snapshot',
      snapshot: snapshotAt(2),
      segments: [segment(0, 0, 'abcd')],
      text: 'cd',
      end: 4,
      lost: 0,
      unreachable: [],
    },
    {
      name: 'a segment that the snapshot already contains',
      snapshot: snapshotAt(4),
      segments: [segment(0, 0, 'abcd')],
      text: '',
      end: 4,
      lost: 0,
      unreachable: [],
    },
    {
      name: 'a gap after the snapshot',
      snapshot: snapshotAt(2),
      segments: [segment(7, 5, 'fg')],
      text: '',
      end: 2,
      lost: 5,
      unreachable: [7],
    },
    {
      name: 'a gap between segments',
      snapshot: null,
      segments: [segment(0, 0, 'ab'), segment(1, 3, 'd'), segment(2, 4, 'e')],
      text: 'ab',
      end: 2,
      lost: 3,
      unreachable: [1, 2],
    },
    {
      name: 'a journal whose snapshot is lost',
      snapshot: null,
      segments: [segment(3, 100, 'tail')],
      text: 'tail',
      end: 104,
      lost: 100,
      unreachable: [],
    },
    {
      name: 'bytes that could not be read',
      snapshot: null,
      segments: [segment(0, 0, 'ab', 30)],
      text: 'ab',
      end: 2,
      lost: 30,
      unreachable: [],
    },
  ])('[R9] $name', ({ snapshot, segments, text, end, lost, unreachable }) => {
    const assembled = assemble(snapshot, segments);
    expect(shown(assembled)).toBe(text);
    expect(assembled).toMatchObject({ end, lostBytes: lost, unreachable });
  });

  it('[R9] give the same screen for any snapshot and any split into segments', () => {
    checkProperty(
      'journal-recovery',
      fc.property(anyBatches, fc.nat(), (batches, where) => {
        const printed = (steps: readonly Step[]) =>
          steps.reduce((sum, step) => sum + ('print' in step ? step.print.length : 0), 0);
        let from = 0;
        const segments = batches.map((batch, number) => {
          const { records } = decodeJournal(journalFile([batch], from));
          from += printed(batch);
          return { number, records, unreadableBytes: 0 };
        });
        const offset = where % (from + 1);
        const { replay, end, lostBytes } = assemble(snapshotAt(offset), segments);
        const text = (whole: string) => whole.replace(/<[^>]*>/g, '');
        expect(text(story(replay))).toBe(text(storyOf(batches)).slice(2 * offset));
        expect([end, lostBytes]).toEqual([from, 0]);
      }),
    );
  });

  it('[R9] replay a resize at the exact offset of the snapshot', () => {
    const { records } = decodeJournal(journalFile([[{ cols: 40, rows: 10 }]], 6));
    expect(assemble(snapshotAt(6), [{ number: 0, records, unreadableBytes: 0 }]).replay).toEqual(records);
  });
});

const written = { ...snapshotAt(2 ** 40), continues: 7 };
const metadata = someMetadata({ name: 'Bücher 📚', env: { TOKEN: 'a\nb' } });

describe.each([
  { what: 'a snapshot', value: written, file: encodeSnapshot(written), decode: decodeSnapshot },
  { what: 'metadata', value: metadata, file: encodeMetadata(metadata), decode: decodeMetadata },
])('$what on disk', ({ value, file, decode }) => {
  it('[R9] is read as it was written', () => {
    expect(decode(file)).toEqual(value);
  });

  it('[R9] is refused with a reason if it is truncated anywhere', () => {
    for (let cut = 0; cut < file.length; cut++) expect(typeof decode(file.subarray(0, cut))).toBe('string');
  });

  it('[R9] is refused with a reason if any bit is flipped', () => {
    for (let bit = 0; bit < file.length * 8; bit++) {
      const flipped = Buffer.from(file);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(typeof decode(flipped), `bit ${bit}`).toBe('string');
    }
  });
});
