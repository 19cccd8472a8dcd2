/**
 * All random choices in tests go through this file. In `npm test` every choice follows from `GATE_SEED`, and cases that
 * a search has found are replayed first (test/corpus/). `npm run search` uses a fresh seed and stores failing cases,
 * shrunk.
 *
 * Each property has its own name, which is also the name of its folder in the corpus.
 */
import fc from 'fast-check';
import { Corpus } from './corpus.ts';

/** Any number would do; it is fixed so that every run is the same. */
const GATE_SEED = 4711;

export interface Randomness {
  readonly seed: number;
  /** A search stores the failures it finds. */
  readonly isSearch: boolean;
  readonly corpus: Corpus;
}

/** Reads what `npm test` and `npm run search` set in the environment. HOLDFAST_SEED alone repeats a run. */
export function randomness(env: NodeJS.ProcessEnv = process.env): Randomness {
  return {
    seed: Number(env.HOLDFAST_SEED ?? GATE_SEED),
    isSearch: env.HOLDFAST_SEARCH === '1',
    corpus: new Corpus(),
  };
}

export interface PropertyOptions {
  /** Number of cases; 100 by default. */
  readonly numRuns?: number;
}

const DEFAULT_RUNS = 100;

/** Fails with the shrunk case and the seed that leads to it. */
export function checkProperty<Values extends [unknown, ...unknown[]]>(
  name: string,
  property: fc.IAsyncProperty<Values>,
  options?: PropertyOptions,
  random?: Randomness,
): Promise<void>;
export function checkProperty<Values extends [unknown, ...unknown[]]>(
  name: string,
  property: fc.IProperty<Values>,
  options?: PropertyOptions,
  random?: Randomness,
): void;
export function checkProperty<Values extends [unknown, ...unknown[]]>(
  name: string,
  property: fc.IProperty<Values> | fc.IAsyncProperty<Values>,
  { numRuns = DEFAULT_RUNS }: PropertyOptions = {},
  random = randomness(),
): void | Promise<void> {
  const examples = random.corpus
    .casesOf(name)
    .flatMap(({ values }) => (values === undefined ? [] : [values as Values]));
  return fc.assert(property as fc.IProperty<Values>, {
    seed: random.seed,
    // Examples count as runs.
    numRuns: numRuns + examples.length,
    examples,
    reporter: (details) => report(name, details, random),
  });
}

function report<Values extends unknown[]>(
  name: string,
  details: fc.RunDetails<Values>,
  random: Randomness,
): void {
  if (!details.failed) return;
  const why = details.errorInstance instanceof Error ? details.errorInstance.message : 'it returned false';
  const found = { why: firstLine(why), seed: details.seed, values: details.counterexample ?? [] };
  const kept = random.isSearch ? `\nKept as ${random.corpus.keep(name, found)}` : '';
  throw new Error(`${name}: ${fc.defaultReportMessage(details)}${kept}`, { cause: details.errorInstance });
}

/** The seeds for a story that one number repeats: that of this run, and in `npm test` also those that failed before. */
export function seedsFor(name: string, random = randomness()): number[] {
  const found = random.corpus.casesOf(name).map(({ seed }) => seed);
  return random.isSearch ? [random.seed] : [...new Set([random.seed, ...found])];
}

/** Runs such a story; a search stores the seed if it fails. */
export async function tellStory(
  name: string,
  seed: number,
  story: () => unknown,
  random = randomness(),
): Promise<void> {
  try {
    await story();
  } catch (error) {
    if (random.isSearch) {
      const why = firstLine(error instanceof Error ? error.message : String(error));
      console.log(`${name}: kept as ${random.corpus.keep(name, { why, seed })}`);
    }
    throw error;
  }
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
