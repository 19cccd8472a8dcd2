/** What `doctor` says of the agent that runs. */
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { checkRunning } from '../../../vm-agent/doctor/check-running.ts';
import { startHealthServer } from '../../../vm-agent/health/health-server.ts';

const HEALTH = {
  status: 'ok',
  version: '1.2.3',
  link: { state: 'open' },
  sessions: { running: 0, orphaned: 0, exited: 0 },
} as const;

async function findingsFor(trouble: string | null) {
  const server = await startHealthServer(0, { health: () => ({ ...HEALTH, trouble }), metrics: () => '' });
  const { port: healthPort } = server.address() as AddressInfo;
  const findings = await checkRunning({ healthPort });
  server.closeAllConnections();
  server.close();
  return { findings, healthPort };
}

describe('doctor, about the running agent', () => {
  it('[F30] warns if its keeper has started it with less, and says why', async () => {
    const { findings } = await findingsFor('The agent ended 3 times in a row.');
    expect(findings).toEqual([
      {
        verdict: 'warn',
        about: 'running agent',
        sentence:
          'The agent ended 3 times in a row. Reload it once the reason is gone (`holdfast agent reload`).',
      },
    ]);
  });

  it('[F30] says nothing if all is well, if none answers, and without a health port', async () => {
    const { findings, healthPort } = await findingsFor(null);
    expect(findings).toEqual([]);
    expect(await checkRunning({ healthPort })).toEqual([]);
    expect(await checkRunning({ healthPort: 0 })).toEqual([]);
  });
});
