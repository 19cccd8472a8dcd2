/** Findings of a search are shrunk, kept and replayed; `npm test` generates the same cases every time. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Corpus } from '../support/corpus.ts';
import { checkProperty, type Randomness, randomness, seedsFor, tellStory } from '../support/property.ts';
import { searchRounds } from './search-rounds.ts';
import { searchedFiles } from './searched-files.ts';

let dir: string;
let corpus: Corpus;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-corpus-'));
  corpus = new Corpus(dir);
});
afterEach(() => rmSync(dir, { recursive: true }));

const gate = (): Randomness => ({ seed: 4711, isSearch: false, corpus });
const search = (seed: number): Randomness => ({ seed, isSearch: true, corpus });

/** Fails for about one of two hundred texts. */
const broken = fc.property(fc.string({ maxLength: 5 }), fc.uint8Array({ maxLength: 4 }), (text, bytes) => {
  if (text.length > 3 && bytes.includes(7)) throw new Error('broken');
});
const check = (random: Randomness) => checkProperty('broken', broken, { numRuns: 2000 }, random);

describe('`npm test`', () => {
  it('[Y1] generates the same cases in every run, and others for another seed', () => {
    const drawn = (seed: number) => {
      const cases: number[] = [];
      const property = fc.property(fc.nat(), (value) => void cases.push(value));
      checkProperty('drawn', property, {}, { ...gate(), seed });
      return cases;
    };
    expect(drawn(1)).toHaveLength(100);
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  it('[Y1] has a fixed seed unless another is given', () => {
    expect(randomness({})).toMatchObject({ seed: 4711, isSearch: false });
    expect(randomness({ HOLDFAST_SEED: '12', HOLDFAST_SEARCH: '1' })).toMatchObject({
      seed: 12,
      isSearch: true,
    });
  });

  it('stores no failure, and prints the seed', () => {
    expect(() => check(gate())).toThrow(/^broken: Property failed after .*\n\{ seed: 4711, /);
    expect(corpus.properties).toEqual([]);
  });
});

describe('a search', () => {
  it('[Y1] stores what it finds, shrunk, and `npm test` replays it first', () => {
    expect(() => check(search(1))).toThrow(/Kept as .*broken.1\.json/);
    const [found] = corpus.casesOf('broken');
    expect(found).toMatchObject({ seed: 1, why: 'broken' });
    // Nothing shorter fails.
    expect(found?.values).toMatchObject([expect.stringMatching(/^.{4}$/), Uint8Array.of(7)]);
    const [text] = found?.values ?? [];
    const replayed: unknown[] = [];
    const now = fc.property(fc.string(), fc.uint8Array(), (...values) => void replayed.push(values[0]));
    checkProperty('broken', now, { numRuns: 10 }, gate());
    expect(replayed).toHaveLength(11);
    expect(replayed[0]).toBe(text);
  });

  it('[Y1] stores the seed of a story that only a seed can repeat', async () => {
    const fails = () => Promise.reject(new Error('lost a line\nand more'));
    await expect(tellStory('chaos', 99, fails, search(99))).rejects.toThrow('lost a line');
    expect(corpus.casesOf('chaos')).toEqual([{ why: 'lost a line', seed: 99 }]);
    expect(seedsFor('chaos', gate())).toEqual([4711, 99]);
    expect(seedsFor('chaos', search(5))).toEqual([5]);
  });

  it('[Y1] prints each seed, runs until its time is up, and at least once', async () => {
    const said: string[] = [];
    let now = 0;
    const searching = {
      now: () => now,
      say: (line: string) => void said.push(line),
      freshSeed: () => 100 + now,
      run: async (seed: number) => {
        now += 10;
        return seed !== 110;
      },
    };
    expect(await searchRounds({ ...searching, lastsMs: 25 })).toEqual([110]);
    expect(said).toEqual([
      'round 1: HOLDFAST_SEED=100',
      'round 2: HOLDFAST_SEED=110',
      'round 2 failed: HOLDFAST_SEED=110',
      'round 3: HOLDFAST_SEED=120',
      '1 of 3 rounds failed; HOLDFAST_SEED=110',
    ]);
    expect(await searchRounds({ ...searching, lastsMs: 0, say: () => {} })).toEqual([]);
  });

  it('runs the files with random choices, or those of them that it is given', () => {
    const files = [
      { path: 'test/a.test.ts', source: "import { checkProperty } from './support/property.ts';" },
      { path: 'test/b/c.test.ts', source: "import { seedsFor } from '../support/property.ts';" },
      { path: 'test/b/d.test.ts', source: "import fc from 'fast-check';" },
      { path: 'test/b/steps.ts', source: "import { seedsFor } from '../support/property.ts';" },
    ];
    expect(searchedFiles(files)).toEqual(['test/a.test.ts', 'test/b/c.test.ts']);
    expect(searchedFiles(files, ['b/c', 'none'])).toEqual(['test/b/c.test.ts']);
  });
});

describe('the corpus', () => {
  it('[Y1] returns what was stored', () => {
    const values = [
      { bytes: Uint8Array.of(0, 27, 128, 255), at: [-0, Number.NaN, 1 / 0, -1.5], big: 7n },
      { none: null, nothing: undefined, flag: true, text: 'é\u0000"' },
    ];
    corpus.keep('any', { why: 'w', seed: 3, values });
    expect(corpus.casesOf('any')).toEqual([{ why: 'w', seed: 3, values }]);
    expect(readdirSync(join(dir, 'any'))).toEqual(['3.json']);
  });

  it('refuses what it could not replay, and is empty if nothing was found', () => {
    const take = { why: 'w', seed: 3, values: [() => {}] };
    expect(() => corpus.keep('any', take)).toThrow(/takes plain values/);
    writeFileSync(join(dir, 'any', 'README.md'), 'no case');
    expect(corpus.casesOf('any')).toEqual([]);
    expect(corpus.casesOf('other')).toEqual([]);
    expect(new Corpus(join(dir, 'missing')).properties).toEqual([]);
  });
});
