import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeJournal, RECORD_BODY_MAX_BYTES } from '../../../vm-agent/disk/record.ts';
import { checkProperty } from '../../support/property.ts';
import { anyBatches, journalFile, story, storyOf } from './journal-bytes.ts';

describe('the journal', () => {
  it('[R8] has these bytes', () => {
    const file = journalFile([[{ print: Buffer.from('hi') }, { cols: 80, rows: 24 }]], 5);
    const golden = [
      '48464a01', // HFJ, version 1
      '65e7b800 00000002 01 0000000000000005 6869',
      '7defa11b 00000004 02 0000000000000007 00500018',
    ];
    expect(file.toString('hex')).toBe(golden.join('').replaceAll(' ', ''));
  });

  it('[R9] reads back what was written, however it was batched', () => {
    checkProperty(
      'journal-batches',
      fc.property(anyBatches, fc.nat(2 ** 40), (batches, from) => {
        const { records, flaw, validBytes } = decodeJournal(journalFile(batches, from));
        expect(flaw).toBeNull();
        expect(validBytes).toBe(journalFile(batches, from).length);
        expect(story(records)).toBe(storyOf(batches, from));
      }),
    );
  });

  it('[R9] yields every whole record of any prefix of a file, and no other', () => {
    checkProperty(
      'journal-beginnings',
      fc.property(anyBatches, fc.nat(), (batches, where) => {
        const file = journalFile(batches);
        const ends = recordEnds(file);
        const cut = where % (file.length + 1);
        const whole = ends.filter((end) => end <= cut);
        const { records, validBytes, flaw } = decodeJournal(file.subarray(0, cut));
        expect(records).toEqual(decodeJournal(file).records.slice(0, Math.max(0, whole.length - 1)));
        expect(validBytes).toBe(whole.at(-1) ?? 0);
        expect(flaw === null).toBe(validBytes === cut && cut > 0);
      }),
      { numRuns: 500 },
    );
  });

  it('[R9] a flipped bit anywhere costs records, but never alters one and never throws', () => {
    checkProperty(
      'journal-flipped-bit',
      fc.property(anyBatches, fc.nat(), fc.nat(7), (batches, where, bit) => {
        const file = journalFile(batches);
        const whole = decodeJournal(file).records;
        const at = where % file.length;
        file[at] = (file[at] ?? 0) ^ (1 << bit);
        const { records, validBytes, flaw } = decodeJournal(file);
        expect(flaw).not.toBeNull();
        expect(validBytes).toBeLessThanOrEqual(at);
        expect(story(records)).toBe(story(whole.slice(0, records.length)));
      }),
      { numRuns: 1000 },
    );
  });

  it('[R9] any bytes are read without an exception', () => {
    checkProperty(
      'journal-any-bytes',
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        decodeJournal(Buffer.from(noise));
        decodeJournal(Buffer.concat([journalFile([]), noise]));
      }),
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'it does not begin as a journal of version 1'],
    ['another version', Buffer.from('HFJ\x02'), 'it does not begin as a journal of version 1'],
    [
      'zeros, as a power cut leaves them',
      Buffer.concat([journalFile([]), Buffer.alloc(64)]),
      'a wrong checksum at byte 4',
    ],
    [
      'a hole',
      Buffer.concat([
        journalFile([[{ print: Buffer.from('a') }]]),
        journalFile([[{ print: Buffer.from('b') }]], 2).subarray(4),
      ]),
      'a hole at byte 22',
    ],
  ])('[R9] says what is wrong with %s', (_, file, flaw) => {
    expect(decodeJournal(file).flaw).toBe(flaw);
  });

  it('[R8] splits long output into records of limited size', () => {
    const print = new Uint8Array(3 * RECORD_BODY_MAX_BYTES + 1).fill(7);
    const { records, flaw } = decodeJournal(journalFile([[{ print: print.subarray(0, 10) }, { print }]]));
    expect(flaw).toBeNull();
    const lengths = records.map((record) => (record.type === 'output' ? record.bytes.length : 0));
    expect(lengths).toEqual([RECORD_BODY_MAX_BYTES, RECORD_BODY_MAX_BYTES, RECORD_BODY_MAX_BYTES, 11]);
  });
});

/** Where the header and each record end, by their length fields alone. */
function recordEnds(file: Buffer): number[] {
  const ends = [4];
  for (let at = 4; at < file.length; ends.push(at)) at += 17 + file.readUInt32BE(at + 4);
  return ends;
}
