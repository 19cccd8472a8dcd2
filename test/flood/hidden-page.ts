/** How long a program takes to print two million lines: with nobody attached, and with a hidden client. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CountingScreen } from '../support/flood-screens.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import { SIZE } from './cast.ts';

const LINES = 2_000_000;
const LOOK_EVERY_MS = 2;

export async function printingMs(client: HeadlessClient, isAttached: boolean): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-hidden-'));
  const script = `until [ -e ${dir}/go ]; do sleep 0.01; done; seq 1 ${LINES}; touch ${dir}/done; read x`;
  const { id } = await client.client.create({ ...SIZE, command: 'sh', args: ['-c', script] });
  if (isAttached) {
    const session = client.client.attach(id, SIZE, new CountingScreen(), { isVisible: false });
    await client.until(() => session.state.name === 'live');
  }
  const startedAt = performance.now();
  writeFileSync(join(dir, 'go'), '');
  while (!existsSync(join(dir, 'done'))) await sleep(LOOK_EVERY_MS);
  const took = performance.now() - startedAt;
  await client.client.close(id);
  rmSync(dir, { recursive: true });
  return took;
}
