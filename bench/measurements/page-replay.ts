/** A page that returns to a session: when its screen is painted, and when it is idle. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { newTerminal } from '../../test/support/page-story.ts';
import { terminalOf } from '../../test/support/terminal-page.ts';
import type { Holdfast } from '../contenders/holdfast.ts';
import { writeLogFile } from '../log-file.ts';
import { closeAll, open, probeOf, profile } from './page-browser.ts';
import type { PageReplay } from './page-probe.ts';

const REPLAY_MEBIBYTES = 0.25;
/** As much as the ring still holds after the surrounding text is printed as well. */
const MISSED_MEBIBYTES = 255 / 1024;
const QUIET_MS = 300;

export interface ReplaySample {
  readonly paintedMs: number;
  readonly idleMs: number;
  readonly usableMs: number;
  /** From the arrival of the last byte to its result, painted: of the screen, and of the history above it. */
  readonly screenMs: number;
  readonly historyMs: number;
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
      () =>
        globalThis.probe.usableAt !== null &&
        globalThis.probe.replays.filter(({ paintedAt }) => paintedAt !== null).length === 2,
    );
    const idleAt = await idle(opened);
    const { askedAt, foundAt, replays, usableAt } = await probeOf(opened);
    const since = (at: number | null) => (at ?? Number.NaN) - (askedAt ?? Number.NaN);
    samples.push({
      paintedMs: since(foundAt),
      idleMs: since(idleAt),
      usableMs: usableAt ?? Number.NaN,
      screenMs: afterLastByte(replays, 'screen'),
      historyMs: afterLastByte(replays, 'history'),
    });
  }
  await closeAll(holdfast);
  return samples;
}

/** Shows a tab again that has printed nearly as much as its ring holds: all of it is sent as bytes, and parsed. */
export async function measureMissed(holdfast: Holdfast, browser: Browser, rounds: number): Promise<number[]> {
  await using log = await writeLogFile(MISSED_MEBIBYTES);
  await using context = await profile(browser);
  const opened = await open(holdfast, context);
  const terminal = terminalOf(opened);
  const tab = (number: number) => opened.getByRole('tab', { name: `Terminal ${number}` });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const [go, done] = [join(folder, 'go'), join(folder, 'done')];
  execFileSync('mkfifo', [go]);
  await newTerminal(opened);
  const samples: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await tab(1).click();
    await terminal.types(`clear; cat ${go}; cat ${log.path}; echo end-of-$((${round}))-misses; >${done}\n`);
    await tab(2).click();
    await writeFile(go, '');
    while (!existsSync(done)) await pause(20);
    await rm(done);
    await pause(QUIET_MS);
    await opened.evaluate((wanted) => {
      globalThis.probe.wanted = wanted;
      globalThis.probe.replays.length = 0;
    }, `end-of-${round}-misses`);
    await tab(1).click();
    await opened.waitForFunction(() => globalThis.probe.replays.some(({ paintedAt }) => paintedAt !== null));
    samples.push(afterLastByte((await probeOf(opened)).replays, 'delta'));
  }
  await rm(folder, { recursive: true });
  await closeAll(holdfast);
  return samples;
}

function afterLastByte(replays: readonly PageReplay[], wanted: PageReplay['what']): number {
  const replay = replays.find(({ what }) => what === wanted);
  return (replay?.paintedAt ?? Number.NaN) - (replay?.lastByteAt ?? Number.NaN);
}

/** When the page was idle after the last message, once none has arrived for a while. */
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
