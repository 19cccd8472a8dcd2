/** A page in use: opened, typed into, flooded, left open for an hour. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { terminalOf } from '../../test/support/terminal-page.ts';
import type { Holdfast } from '../contenders/holdfast.ts';
import { within } from '../deadline.ts';
import { writeLogFile } from '../log-file.ts';
import { closeAll, open, probeOf, profile } from './page-browser.ts';

const KEYS = 40;
const FLOOD_MS = 4_000;
const SETTLE_MS = 300;
const WITHIN_MS = 900_000;

/** A page that has no tabs makes one: nothing may be left of the one before. */
export async function measureNavigation(
  holdfast: Holdfast,
  browser: Browser,
  rounds: number,
): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    await using context = await profile(browser);
    const { usableAt } = await probeOf(await open(holdfast, context));
    if (round > 0) samples.push(usableAt ?? Number.NaN); // the first starts the browser's own processes
    await closeAll(holdfast);
  }
  return samples;
}

export async function measureKeys(holdfast: Holdfast, browser: Browser): Promise<number[]> {
  await using context = await profile(browser);
  const opened = await open(holdfast, context);
  await pause(SETTLE_MS);
  for (let key = 0; key < KEYS; key++) {
    const before = (await probeOf(opened)).keysMs.length;
    await opened.keyboard.press('k');
    await opened.waitForFunction((count) => globalThis.probe.keysMs.length > count, before);
    await pause(50);
  }
  const { keysMs } = await probeOf(opened);
  await closeAll(holdfast);
  return keysMs;
}

export interface FloodSample {
  readonly framesPerSecond: number;
  readonly changedPerSecond: number;
  readonly bytesPerSecond: number;
}

export async function measureFlood(holdfast: Holdfast, browser: Browser): Promise<FloodSample> {
  await using log = await writeLogFile(8);
  await using context = await profile(browser);
  const opened = await open(holdfast, context);
  await terminalOf(opened).types(`while cat ${log.path}; do :; done\n`);
  await pause(SETTLE_MS * 3);
  const printed = () => holdfast.metric('holdfast_output_bytes');
  const before = { ...(await probeOf(opened)), bytes: await printed(), at: performance.now() };
  await pause(FLOOD_MS);
  const after = { ...(await probeOf(opened)), bytes: await printed() };
  const seconds = (performance.now() - before.at) / 1000;
  await opened.keyboard.press('Control+C');
  await closeAll(holdfast);
  return {
    framesPerSecond: (after.frames - before.frames) / seconds,
    changedPerSecond: (after.changedFrames - before.changedFrames) / seconds,
    bytesPerSecond: (after.bytes - before.bytes) / seconds,
  };
}

export async function measureHeap(
  holdfast: Holdfast,
  browser: Browser,
  megabytes: number,
): Promise<{ beforeBytes: number; afterBytes: number }> {
  await using log = await writeLogFile(1);
  await using context = await profile(browser, 'end-of-2-logs');
  const opened = await open(holdfast, context);
  const heap = async () => {
    const devtools = await context.newCDPSession(opened);
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    await devtools.detach();
    return usedSize;
  };
  const beforeBytes = await heap();
  const times = Math.max(1, Math.round((megabytes * 1e6) / log.printedBytes));
  await terminalOf(opened).types(
    `i=0; while [ $i -lt ${times} ]; do i=$((i+1)); cat ${log.path}; done; echo end-of-$((1+1))-logs\n`,
  );
  const over = opened.waitForFunction(() => globalThis.probe.foundAt !== null, undefined, {
    timeout: WITHIN_MS,
  });
  await within('the page has shown it all', over, WITHIN_MS);
  await pause(SETTLE_MS);
  const afterBytes = await heap();
  await closeAll(holdfast);
  return { beforeBytes, afterBytes };
}
