/** A page that comes back to a session: when its screen is painted, and when it has nothing left to do. */
import type { Browser, Page } from 'playwright-core';
import { terminalOf } from '../../test/support/terminal-page.ts';
import type { Holdfast } from '../contenders/holdfast.ts';
import { writeLogFile } from '../log-file.ts';
import { closeAll, open, probeOf, profile } from './page-browser.ts';

const REPLAY_MEBIBYTES = 0.25;
const QUIET_MS = 300;

export interface ReplaySample {
  readonly paintedMs: number;
  readonly idleMs: number;
  readonly usableMs: number;
}

/** Reloads a page whose session has printed as much as its ring holds. */
export async function measureReplay(
  holdfast: Holdfast,
  browser: Browser,
  rounds: number,
): Promise<ReplaySample[]> {
  await using log = await writeLogFile(REPLAY_MEBIBYTES);
  await using context = await profile(browser, 'end-of-2-logs');
  const opened = await open(holdfast, context);
  const terminal = terminalOf(opened);
  await terminal.types(`cat ${log.path}; echo end-of-$((1+1))-logs\n`);
  await terminal.shows(/end-of-2-logs/);
  const samples: ReplaySample[] = [];
  for (let round = 0; round < rounds; round++) {
    await opened.reload();
    await opened.waitForFunction(
      () => globalThis.probe.foundAt !== null && globalThis.probe.usableAt !== null,
    );
    const idleAt = await idle(opened);
    const { askedAt, foundAt, usableAt } = await probeOf(opened);
    const since = (at: number | null) => (at ?? Number.NaN) - (askedAt ?? Number.NaN);
    samples.push({ paintedMs: since(foundAt), idleMs: since(idleAt), usableMs: usableAt ?? Number.NaN });
  }
  await closeAll(holdfast);
  return samples;
}

/** When the page had nothing left to do after the last message, once none has come for a while. */
async function idle(opened: Page): Promise<number> {
  return await opened.evaluate(async (quietMs) => {
    const rest = () =>
      new Promise<number>((resolve) => {
        requestIdleCallback((deadline) => resolve(deadline.timeRemaining() > 5 ? performance.now() : -1));
      });
    let idleAt = -1;
    let idleSince = globalThis.probe.lastMessageAt;
    while (performance.now() - globalThis.probe.lastMessageAt < quietMs || idleAt < 0) {
      const at = await rest();
      if (at < 0 || globalThis.probe.lastMessageAt > idleSince) {
        idleSince = globalThis.probe.lastMessageAt;
        idleAt = at;
      } else if (idleAt < 0) idleAt = at;
    }
    return idleAt;
  }, QUIET_MS);
}
