/**
 * Counts the results of a test run. Everything that went wrong counts as failed, including what vitest does not count
 * as a test: a file that does not load, a hook that throws, an uncaught error, an interrupted run.
 */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** The file for the counts, set by test/run.ts; without it they are printed. */
export const COUNTS_FILE = 'HOLDFAST_TEST_COUNTS';

export function closingLine({ passed, failed }: Counts): string {
  return `${passed} passed, ${failed} failed`;
}

export class CountReporter implements Reporter {
  onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    unhandled: ReadonlyArray<unknown>,
    reason: 'passed' | 'interrupted' | 'failed',
  ): void {
    const counts = countOf(modules, unhandled.length);
    // If vitest reports a failure that is not counted above, the run must still count as failed.
    const failed = reason === 'passed' ? counts.failed : Math.max(1, counts.failed);
    const file = process.env[COUNTS_FILE];
    if (file === undefined) console.log(closingLine({ ...counts, failed }));
    else writeFileSync(file, JSON.stringify({ ...counts, failed }));
  }
}

function countOf(modules: ReadonlyArray<TestModule>, unhandled: number): Counts {
  let passed = 0;
  let failed = unhandled;
  for (const module of modules) {
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed++;
      // A test that is still pending when the run is over died with its worker.
      else if (state !== 'skipped') failed++;
    }
  }
  return { passed, failed };
}
