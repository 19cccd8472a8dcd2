import { defineConfig } from 'vitest/config';
import { CountReporter } from './test/support/count-reporter.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { filesOfOneProcess } from './test/support/shared-process.ts';
import { TEST_WITHIN_MS } from './test/support/time-limit.ts';

const together = filesOfOneProcess();

export default defineConfig({
  // What the build puts into worker/platform/version.ts.
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: ['test/**/*.test.{ts,tsx}'], exclude: together },
      },
      // A process costs more than most of these do.
      { extends: true, test: { name: 'together', include: together, isolate: false } },
    ],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // The smallest machine we promise has two cores. Three times that, because many a story waits for a time-out:
    // with five, the cores were idle for a quarter of the time. Seven take as long as six.
    maxWorkers: 6,
    testTimeout: TEST_WITHIN_MS,
    hookTimeout: TEST_WITHIN_MS,
    // What is polled for is an event like any other; a busy machine may take its time.
    expect: { poll: { timeout: 90_000 } },
    sequence: { sequencer: LongestFirst },
    // A test that passes on the second try has found something.
    retry: 0,
    // A forgotten `.only` would pass the run while proving almost nothing.
    allowOnly: false,
    reporters: ['default', new CountReporter()],
  },
});
