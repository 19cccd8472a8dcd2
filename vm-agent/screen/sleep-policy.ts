/**
 * Limits the number of unwatched screens that are awake. Beyond it, the screen that was quiet longest is put to sleep
 * before its minute is over. So memory follows what is in use, not what was printed.
 *
 * Output wakes a screen, and waking costs as much as parsing its history. So a screen in use stays awake, however many
 * there are, and one that was put to sleep too early gets longer next time (sleep-delay.ts). Only one falls asleep at a
 * time: a client that asks for another session's screen waits for at most one slice of this work.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { AWAKE_UNWATCHED_MAX, BEDTIME_LOOK_MS } from './limits.ts';
import type { ScreenMirror } from './screen.ts';

/** The part of a screen that this policy uses. */
type Sleeper = Pick<ScreenMirror, 'state' | 'isWatched' | 'sleepyFor' | 'fallAsleep'>;

export class SleepPolicy {
  readonly #clock: Clock;
  readonly #screens: () => Iterable<Sleeper>;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, screens: () => Iterable<Sleeper>) {
    this.#clock = clock;
    this.#screens = screens;
  }

  /** Call this when a screen woke, fell asleep, was closed or is no longer watched. */
  look(): void {
    this.stop();
    const screens = [...this.#screens()];
    if (screens.some(({ state }) => state === 'dozing')) return; // look() is called again once it is asleep
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

/** Of those that may sleep, the one that could have been asleep for longest. */
function sleepiest(screens: readonly Sleeper[]): Sleeper | undefined {
  const [first] = screens.filter(({ sleepyFor }) => sleepyFor >= 0).sort((a, b) => b.sleepyFor - a.sleepyFor);
  return first;
}
