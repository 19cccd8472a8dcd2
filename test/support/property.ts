/**
 * The one doorway to random choices in tests. In `npm test` every choice follows from `GATE_SEED`, and what a search found once is
 * replayed first (test/corpus/). `npm run search` gives a fresh seed and keeps what fails, shrunk.
 *
 * A property has a name of its own, which is that of its folder in the corpus.
 */
import fc from 'fast-check';
import { Corpus } from './corpus.ts';

/** Any number would do; it is fixed so that a run of today is a run of tomorrow. */
const GATE_SEED = 4711;

export interface Randomness {
  readonly seed: number;
  /** A search keeps what it finds. */
  readonly isSearch: boolean;
  readonly corpus: Corpus;
}

/** What `npm test` and `npm run search` say in the environment. HOLDFAST_SEED alone repeats a run. */
export function randomness(env: NodeJS.ProcessEnv = process.env): Randomness {
  return {
    seed: Number(env.HOLDFAST_SEED ?? GATE_SEED),
    isSearch: env.HOLDFAST_SEARCH === '1',
    corpus: new Corpus(),
  };
}

export interface PropertyOptions {
  /** How many cases; 100 unless told. */
  readonly numRuns?: number;
}

const DEFAULT_RUNS = 100;

/** Fails with the shrunk case, and the seed that leads to it. */
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

/** The seeds of a story that one number repeats: the one of this run, and in the gate those under which it failed once. */
export function seedsFor(name: string, random = randomness()): number[] {
  const found = random.corpus.casesOf(name).map(({ seed }) => seed);
  return random.isSearch ? [random.seed] : [...new Set([random.seed, ...found])];
}

/** Tells such a story; a search keeps the seed under which it fails. */
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
