import { defineConfig } from 'vitest/config';

/** The tests of the pure modules: without processes, browsers or builds, since they run a few thousand times. */
export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    include: [
      'test/protocol/**/*.test.ts',
      'test/model/**/*.test.ts',
      'test/vm-agent/keeper/!(agent-process|reload-request)*.test.ts',
      'test/vm-agent/{link,output,session,terminal}/**/*.test.ts',
      'test/vm-agent/pty/pty-input.test.ts',
      'test/client/**/*.test.ts',
      'test/worker/{peers,metering}/**/*.test.ts',
      'test/worker/registry/revocation.test.ts',
    ],
    testTimeout: 60_000,
    // A mutant that no table or story detects is tested with this many random cases; `npm test` runs more.
    env: { HOLDFAST_RUNS: '10' },
  },
});
