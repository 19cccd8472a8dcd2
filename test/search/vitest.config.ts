import { defineConfig } from 'vitest/config';

/** The settings of `npm test` without its builds, which a search makes once, and with time to shrink failures. */
export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    reporters: ['dot'],
  },
});
