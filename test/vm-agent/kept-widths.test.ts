/** A restored session measures text as it did before. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../node/system-clock.ts';
import { drawOldScreen } from '../../vm-agent/disk/disk-storage.ts';
import type { SessionMetadata } from '../../vm-agent/disk/metadata.ts';
import { reviveSession } from '../../vm-agent/kept-state.ts';
import { ScreenPool } from '../../vm-agent/screen/pool.ts';
import type { SessionManager } from '../../vm-agent/session/session-manager.ts';
import type { SessionRequest } from '../../vm-agent/session/session-request.ts';
import { OpenStore, temporaryDirectory } from './disk/some-session.ts';

const LIMITS = { scrollbackLines: 100, maxBytes: 1_000_000, withinMs: 60_000, clock: systemClock };

let directory: ReturnType<typeof temporaryDirectory>;
let screens: ScreenPool;
beforeEach(() => {
  directory = temporaryDirectory();
  screens = new ScreenPool({ clock: systemClock });
});
afterEach(async () => {
  await screens.close();
  directory.remove();
});

/** What a restored session shows, and how it measures text from now on. Column 3 is overwritten by the program. */
async function restored(metadata: Partial<SessionMetadata>) {
  const earlier = await OpenStore.at(directory.path);
  earlier.session('s1', { size: { cols: 20, rows: 5 }, ...metadata }).prints('👩‍🚀end\x1b[3G|\r\n');
  await earlier.store.close();
  const next = await OpenStore.at(directory.path);
  const { old, screen } = await drawOldScreen(screens, next.found('s1'), LIMITS);
  await next.store.close();
  let request: SessionRequest | undefined;
  const revive = (_id: string, wanted: SessionRequest) => {
    request = wanted;
  };
  reviveSession({ revive } as unknown as SessionManager, old, screen);
  return { widths: request?.widths, line: Buffer.from(screen).toString().split('\r')[0] };
}

describe('[T1] a restored session', () => {
  it('keeps its widths: clusters', async () => {
    const { widths, line } = await restored({ widths: '17-clusters' });
    expect(widths).toBe('17-clusters');
    expect(line).toContain('👩‍🚀|nd');
  });

  it('keeps its widths: code points', async () => {
    const { widths, line } = await restored({ widths: '17' });
    expect(widths).toBe('17');
    expect(line).toContain('|');
    expect(line).not.toContain('🚀');
  });

  it('has the old widths if an earlier agent has stored it', async () => {
    const { widths, line } = await restored({});
    expect(widths).toBe('6');
    expect(line).toContain('👩‍🚀|nd');
  });
});
