/** The page in a real Chromium: what a person sees, and when. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../test/support/chromium.ts';
import { readable, terminalOf } from '../../test/support/terminal-page.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import { within } from '../deadline.ts';
import type { Effort } from '../effort.ts';
import { writeLogFile } from '../log-file.ts';
import { median, quantile, range } from '../measuring/statistics.ts';
import type { Goal, Section } from '../report/section.ts';
import { installProbe, type PageProbe } from './page-probe.ts';

const VIEWPORT = { width: 1200, height: 800 };
const REPLAY_MEBIBYTES = 0.25;
const REPLAY_REQUIRED_MS = 500;
const REPLAY_GOAL_MS = 60;
const KEYS = 40;
const FLOOD_MS = 4_000;
const SETTLE_MS = 300;
const WITHIN_MS = 900_000;

export async function page({ rounds, pageHourMegabytes }: Effort): Promise<Section> {
  await using holdfast = await Holdfast.start();
  (await holdfast.newClient())[Symbol.dispose]();
  await using browser = await launchChromium();
  const usable = await measureNavigation(holdfast, browser, rounds);
  const replay = await measureReplay(holdfast, browser, rounds);
  const keysMs = await measureKeys(holdfast, browser);
  const flood = await measureFlood(holdfast, browser);
  const heap = await measureHeap(holdfast, browser, pageHourMegabytes);
  const replayMs = median(replay.map(({ paintedMs }) => paintedMs));
  return {
    title: 'In the browser',
    how:
      'The page in headless Chromium, drawn with elements, by its own clock; milliseconds, medians, least and most in brackets. ' +
      'Painted: the browser has drawn the frame.',
    columns: ['', ''],
    rows: [
      ['from the link to a usable prompt in a new session', spread(usable)],
      [
        '256 KiB printed before: from asking for the session to its screen, painted',
        spread(replay.map(({ paintedMs }) => paintedMs)),
      ],
      [
        'the same, until the history above it has come and the page is idle',
        spread(replay.map(({ idleMs }) => idleMs)),
      ],
      ['the same, from the reload to a usable prompt', spread(replay.map(({ usableMs }) => usableMs))],
      [
        `from a key to its echo, painted: p50, p95 of ${keysMs.length}`,
        `${quantile(keysMs, 0.5).toFixed(1)}, ${quantile(keysMs, 0.95).toFixed(1)}`,
      ],
      [
        'frames a second in a flood; of those, with new output',
        `${flood.framesPerSecond.toFixed(0)}; ${flood.changedPerSecond.toFixed(0)}`,
      ],
      ['megabytes a second shown meanwhile', (flood.bytesPerSecond / 1e6).toFixed(1)],
      [
        `heap before, and after ${pageHourMegabytes} MB, which is ${pageHourMegabytes === 360 ? 'an hour' : 'a part of an hour'} at 100 kB a second`,
        `${(heap.beforeBytes / 1e6).toFixed(1)} MB, ${(heap.afterBytes / 1e6).toFixed(1)} MB`,
      ],
    ],
    goals: [
      replayGoal('required', replayMs, REPLAY_REQUIRED_MS),
      replayGoal('goal', replayMs, REPLAY_GOAL_MS),
    ],
    samples: { usable, replay, keysMs, flood, heap },
  };
}

function replayGoal(kind: string, ms: number, most: number): Goal {
  const what = `256 KiB replayed and painted in Chromium (${kind})`;
  return { what, goal: `≤ ${most} ms`, figure: `${ms.toFixed(0)} ms`, isMet: ms <= most };
}

/** A browser profile of its own, whose pages note when `wanted` is painted. */
async function profile(browser: Browser, wanted = ''): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  await context.addInitScript(installProbe, wanted);
  return context;
}

async function open(holdfast: Holdfast, context: BrowserContext): Promise<Page> {
  const opened = await context.newPage();
  const { relay } = holdfast;
  const link = new URL(`/w/${relay.workspace}#token=${await relay.token('operator')}`, relay.url);
  await opened.goto(readable(link.href));
  await opened.waitForFunction(() => globalThis.probe.usableAt !== null);
  return opened;
}

const probeOf = (opened: Page): Promise<PageProbe> => opened.evaluate(() => globalThis.probe);

async function closeAll(holdfast: Holdfast): Promise<void> {
  using client = await holdfast.newClient();
  for (const { id } of await client.client.list()) await client.client.close(id);
}

/** A page that has no tabs makes one: nothing may be left of the one before. */
async function measureNavigation(holdfast: Holdfast, browser: Browser, rounds: number): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    await using context = await profile(browser);
    const { usableAt } = await probeOf(await open(holdfast, context));
    if (round > 0) samples.push(usableAt ?? Number.NaN); // the first starts the browser's own processes
    await closeAll(holdfast);
  }
  return samples;
}

interface ReplaySample {
  readonly paintedMs: number;
  readonly idleMs: number;
  readonly usableMs: number;
}

/** Reloads a page whose session has printed as much as its ring holds. */
async function measureReplay(holdfast: Holdfast, browser: Browser, rounds: number): Promise<ReplaySample[]> {
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
  }, SETTLE_MS);
}

async function measureKeys(holdfast: Holdfast, browser: Browser): Promise<number[]> {
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

interface FloodSample {
  readonly framesPerSecond: number;
  readonly changedPerSecond: number;
  readonly bytesPerSecond: number;
}

async function measureFlood(holdfast: Holdfast, browser: Browser): Promise<FloodSample> {
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

async function measureHeap(
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

function spread(samples: readonly number[]): string {
  const [least, most] = range(samples);
  return `${median(samples).toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`;
}
