import { defineConfig } from 'vitest/config';
import { CountReporter } from './test/support/count-reporter.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { filesOfOneProcess, storyFiles } from './test/support/shared-process.ts';
import { TEST_WITHIN_MS } from './test/support/time-limit.ts';

const together = filesOfOneProcess();
const stories = storyFiles();

export default defineConfig({
  // What the build puts into worker/platform/version.ts.
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    projects: [
      // One after the other in a process, which keeps what it has loaded, and its browser. What a story starts is a
      // process of its own, and ends with the story.
      { extends: true, test: { name: 'stories', include: stories, isolate: false } },
      {
        extends: true,
        test: { name: 'apart', include: ['test/**/*.test.{ts,tsx}'], exclude: [...stories, ...together] },
      },
      // A process costs more than most of these do.
      { extends: true, test: { name: 'together', include: together, isolate: false } },
    ],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // The smallest machine we promise has two cores. More than twice that, because many a story waits for a time-out: with
    // four, the cores were idle for a quarter of the time.
    maxWorkers: 5,
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
