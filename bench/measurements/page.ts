/** The page in a real Chromium: what a person sees, and when. */
import { launchChromium } from '../../test/support/chromium.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import type { Effort } from '../effort.ts';
import { median, quantile, range } from '../measuring/statistics.ts';
import type { Goal, Section } from '../report/section.ts';
import { measureReplay } from './page-replay.ts';
import { measureFlood, measureHeap, measureKeys, measureNavigation } from './page-use.ts';

const REPLAY_REQUIRED_MS = 500;
const REPLAY_GOAL_MS = 60;

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

function spread(samples: readonly number[]): string {
  const [least, most] = range(samples);
  return `${median(samples).toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`;
}
