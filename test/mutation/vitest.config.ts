import { defineConfig } from 'vitest/config';

/** The tests of the pure modules: without processes, browsers or builds, since they run a few thousand times. */
export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    include: [
      'test/protocol/**/*.test.ts',
      'test/model/**/*.test.ts',
      'test/vm-agent/{agent,audience,client-window,debt-watch,driver,input-ledger,output-*,pace,pty-input,reaper,replay,ring-buffer,seat,session*,size-history}*.test.ts',
      'test/web/{streams,workspace-client,client-*}.test.ts',
      'test/worker/{switchboard,liveness,bucket,revocation}.test.ts',
    ],
    testTimeout: 60_000,
    // A mutant that no table or story detects is tested with this many random cases; `npm test` runs more.
    env: { HOLDFAST_RUNS: '10' },
  },
});
