/** The page in a real Chromium: what a user sees, and when. */
import { launchChromium } from '../../test/support/chromium.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import type { Effort } from '../effort.ts';
import { median, quantile, range } from '../measuring/statistics.ts';
import type { Goal, Section } from '../report/section.ts';
import { measureMissed, measureReplay } from './page-replay.ts';
import { measureFlood, measureHeap, measureKeys, measureNavigation } from './page-use.ts';

const REPLAY_REQUIRED_MS = 500;
const REPLAY_GOAL_MS = 60;

export async function page({ rounds, pageHourMegabytes }: Effort): Promise<Section> {
  await using holdfast = await Holdfast.start();
  (await holdfast.newClient())[Symbol.dispose]();
  await using browser = await launchChromium({ whole: true });
  const usable = await measureNavigation(holdfast, browser, rounds);
  const replay = await measureReplay(holdfast, browser, rounds);
  const missed = await measureMissed(holdfast, browser, rounds);
  const keysMs = await measureKeys(holdfast, browser);
  const flood = await measureFlood(holdfast, browser);
  const heap = await measureHeap(holdfast, browser, pageHourMegabytes);
  const screen = replay.map(({ screenMs }) => screenMs);
  const idle = replay.map(({ idleMs }) => idleMs);
  const history = replay.map(({ historyMs }) => historyMs);
  return {
    title: 'In the browser',
    how:
      'The page in headless Chromium, drawn with DOM elements, by its own clock; milliseconds, medians, minimum and maximum in brackets. ' +
      'Painted: the browser has drawn the frame. Arrived: the page’s socket has delivered its last byte.',
    columns: ['', ''],
    rows: [
      ['from the link to a usable prompt in a new session', spread(usable)],
      [
        '256 KiB printed before: from requesting the session to its screen, painted',
        spread(replay.map(({ paintedMs }) => paintedMs)),
      ],
      ['the same, from the arrival of that screen', spread(screen)],
      [
        'the same, from the arrival of the complete history to the screen with that history, painted',
        spread(history),
      ],
      [
        '255 KiB printed while its tab was hidden, sent as bytes: from their arrival to their end, painted',
        spread(missed),
      ],
      [
        '256 KiB printed before: from requesting the session until the history has arrived and the page is idle',
        spread(idle),
      ],
      ['the same, from the reload to a usable prompt', spread(replay.map(({ usableMs }) => usableMs))],
      [
        `from a key to its echo, painted: p50, p95 of ${keysMs.length}`,
        `${quantile(keysMs, 0.5).toFixed(1)}, ${quantile(keysMs, 0.95).toFixed(1)}`,
      ],
      [
        'frames per second in a flood; of those, with new output',
        `${flood.framesPerSecond.toFixed(0)}; ${flood.changedPerSecond.toFixed(0)}`,
      ],
      ['megabytes per second shown meanwhile', (flood.bytesPerSecond / 1e6).toFixed(1)],
      [
        `heap before, and after ${pageHourMegabytes} MB, which is ${pageHourMegabytes === 360 ? 'an hour' : 'a part of an hour'} at 100 kB per second`,
        `${(heap.beforeBytes / 1e6).toFixed(1)} MB, ${(heap.afterBytes / 1e6).toFixed(1)} MB`,
      ],
    ],
    goals: [
      replayGoal('from the request to shown with its history', idle, REPLAY_REQUIRED_MS),
      replayGoal('from arrival to its screen painted', screen, REPLAY_GOAL_MS),
      replayGoal('from arrival to painted with its history', history, REPLAY_GOAL_MS),
      replayGoal('from arrival as bytes to painted', missed, REPLAY_GOAL_MS),
    ],
    samples: { usable, replay, missed, keysMs, flood, heap },
  };
}

function replayGoal(what: string, samples: readonly number[], most: number): Goal {
  const ms = median(samples);
  return {
    what: `256 KiB in Chromium: ${what}`,
    goal: `≤ ${most} ms`,
    figure: `${ms.toFixed(0)} ms`,
    isMet: ms <= most,
  };
}

function spread(samples: readonly number[]): string {
  const [least, most] = range(samples);
  return `${median(samples).toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`;
}
