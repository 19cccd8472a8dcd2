/**
 * Keeps the screens that are awake with nobody watching few: beyond a number, the one that has been quiet longest is put to sleep
 * before its minute is over. The memory then follows what is in use, not what has been printed.
 *
 * Output wakes a screen, and waking costs as much as parsing its history. So a screen that is in use keeps its memory, however many
 * there are, and one that was put to sleep too early is given longer (patience.ts). One at a time: a page that asks another
 * session for its screen waits for a slice of this one at most.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { AWAKE_UNWATCHED_MAX, BEDTIME_LOOK_MS } from './limits.ts';
import type { ScreenMirror } from './screen.ts';

/** What is asked of a screen, and done with it. */
type Sleeper = Pick<ScreenMirror, 'state' | 'isWatched' | 'sleepyFor' | 'fallAsleep'>;

export class SleepPolicy {
  readonly #clock: Clock;
  readonly #screens: () => Iterable<Sleeper>;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, screens: () => Iterable<Sleeper>) {
    this.#clock = clock;
    this.#screens = screens;
  }

  /** To be called when a screen has woken or fallen asleep, is closed or no longer watched. */
  look(): void {
    this.stop();
    const screens = [...this.#screens()];
    if (screens.some(({ state }) => state === 'dozing')) return; // when it has slept, there is another look
    const unwatched = screens.filter(({ state, isWatched }) => state === 'awake' && !isWatched);
    if (unwatched.length <= AWAKE_UNWATCHED_MAX) return;
    if (sleepiest(unwatched)?.fallAsleep() === true) return;
    this.#cancel = this.#clock.after(BEDTIME_LOOK_MS, () => this.look());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Of those that may sleep, the one that could have longest. */
function sleepiest(screens: readonly Sleeper[]): Sleeper | undefined {
  const [first] = screens.filter(({ sleepyFor }) => sleepyFor >= 0).sort((a, b) => b.sleepyFor - a.sleepyFor);
  return first;
}
