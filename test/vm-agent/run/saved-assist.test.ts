/** What one agent process leaves to the next. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUNS_KEPT } from '../../../protocol/limits.ts';
import { TYPED } from '../../../vm-agent/run/run.ts';
import { decodeAssist, encodeAssist, type SavedAssist } from '../../../vm-agent/run/saved-assist.ts';
import { checkProperty } from '../../support/property.ts';

const RUN = {
  ...{ act: 'a', once: 'o', nonce: 'N', isMarked: true, from: 0, typedAt: 1 },
  ...{ beganAt: null, durationMs: null, place: TYPED, takenBy: null },
};
const SAVED: SavedAssist = {
  runs: [
    RUN,
    {
      ...RUN,
      place: { outputFrom: 1, outputTo: 2, endsAt: 3, exitCode: -1, number: 3 },
      durationMs: 5,
      beganAt: 7,
    },
  ],
  typing: { act: 'a', text: 'ls\r' },
  dropped: [{ act: 'b', by: 'Ann' }],
};
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('[A1] what is left to the next process', () => {
  it('is read as it was written', () => {
    expect(decodeAssist(encodeAssist(SAVED))).toEqual(SAVED);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{"runs":[')],
    ['another value', bytes([])],
    ['what an older agent wrote', bytes([RUN])],
    ['no runs', bytes({ ...SAVED, runs: null })],
    ['a run without a field', bytes({ ...SAVED, runs: [{ ...RUN, place: undefined }] })],
    [
      'a run that ends before it begins',
      bytes({ ...SAVED, runs: [{ ...RUN, place: { ...TYPED, outputFrom: 2, outputTo: 1 } }] }),
    ],
    [
      'a run that ends without a begin',
      bytes({ ...SAVED, runs: [{ ...RUN, place: { ...TYPED, outputTo: 1 } }] }),
    ],
    ['an offset below zero', bytes({ ...SAVED, runs: [{ ...RUN, from: -1 }] })],
    ['a number that is none', bytes({ ...SAVED, runs: [{ ...RUN, typedAt: '1' }] })],
    ['a nonce that is none', bytes({ ...SAVED, runs: [{ ...RUN, nonce: 'a b' }] })],
    ['a long name', bytes({ ...SAVED, dropped: [{ act: 'a', by: 'x'.repeat(65) }] })],
    ['a long text', bytes({ ...SAVED, typing: { act: 'a', text: 'x'.repeat(20_000) } })],
    ['too many runs', bytes({ ...SAVED, runs: Array(RUNS_KEPT + 1).fill(RUN) })],
    ['a prototype', Buffer.from('{"__proto__":{"runs":[]},"typing":null,"dropped":[]}')],
  ])('is nothing if it is not what an agent writes: %s', (_, blob) => {
    expect(decodeAssist(blob)).toBeUndefined();
  });

  it('never throws', () => {
    checkProperty(
      'saved-assist',
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify({ ...SAVED, runs: value })),
        ),
        (text) => {
          decodeAssist(Buffer.from(text));
        },
      ),
      { numRuns: 300 },
    );
  });
});
