/** `npm test` is reproducible: every random choice of a test goes through test/support/property.ts or a seed. */
import { describe, expect, it } from 'vitest';
import { filesUnder, searchedFiles } from '../search/searched-files.ts';
import { Corpus } from '../support/corpus.ts';
import { ROOT } from './imports.ts';

/** Runs with its own seed, or with none. */
const RUNNER =
  /\bfc\s*\.\s*(?:assert|check|sample|statistics|configureGlobal)\b|import\s*\{[^}]*\}\s*from 'fast-check'/;
const CHANCE = /\bMath\.random\b|\brandomInt\b/;
/** A seed that does not come from test/support/property.ts. */
const OWN_SEED = /\bHOLDFAST_SEED\s*\?\?/;

const DOORWAY = 'test/support/property.ts';
/** Commands that search, and what is a text for others to run. */
const MAY_CHOOSE = ['test/search/run.ts', 'test/repository/library.test.ts', 'test/repository/seeds.test.ts'];

function chosenFreely(source: string): boolean {
  const code = source.replace(/^\s*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm, '');
  return RUNNER.test(code) || CHANCE.test(code) || OWN_SEED.test(code);
}

const files = filesUnder(ROOT, 'test');

describe('random choices', () => {
  it('[Y1] in tests all have a fixed seed in `npm test`', () => {
    const free = files.filter(
      ({ path, source }) => path !== DOORWAY && !MAY_CHOOSE.includes(path) && chosenFreely(source),
    );
    expect(free.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['fc.assert(fc.property(', true],
    ['fc\n  .sample(fc.nat())', true],
    ["import { assert } from 'fast-check';", true],
    ['const jitter = Math.random();', true],
    ['const SEED = Number(process.env.HOLDFAST_SEED ?? Date.now());', true],
    ['// fc.assert would draw a seed\ncheckProperty(', false],
    ["import fc from 'fast-check';", false],
  ])('[Y1] are found: %j %s', (source, noticed) => {
    expect(chosenFreely(source)).toBe(noticed);
  });

  it('[Y1] can all be searched: `npm run search` runs every file that uses fast-check', () => {
    const searched = searchedFiles(files);
    const random = files.filter(
      ({ path, source }) => path.endsWith('.test.ts') && /^import .* from 'fast-check';$/m.test(source),
    );
    expect(random.map(({ path }) => path).filter((path) => !searched.includes(path))).toEqual([]);
  });
});

describe('the corpus', () => {
  const NAME = /\b(?:checkProperty|seedsFor)\(\s*'([^']+)'/g;
  const names = files
    .filter(({ path }) => path.endsWith('.test.ts') && path !== 'test/search/search.test.ts')
    .flatMap(({ source }) => [...source.matchAll(NAME)].map(([, name = '']) => name));

  it('[Y1] belongs to existing properties, each with its own name', () => {
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    expect(new Corpus().properties.filter((name) => !names.includes(name))).toEqual([]);
  });
});
