/**
 * The object's only alarm, for everybody who has something to do later. It rings for the earliest of them; when it has
 * rung, each plans again. Its time is stored with it, because the object that set it may have been evicted.
 */
import type { Time } from '../platform/time.ts';
import type { Registry } from '../registry/registry.ts';

export class ObjectAlarm {
  readonly #registry: Pick<Registry, 'fact' | 'setFact'>;
  readonly #time: Pick<Time, 'setAlarm'>;

  constructor(registry: Pick<Registry, 'fact' | 'setFact'>, time: Pick<Time, 'setAlarm'>) {
    this.#registry = registry;
    this.#time = time;
  }

  /** Rings at `wanted` or earlier; null wants nothing. */
  plan(wanted: number | null): void {
    const set = this.#registry.fact('alarm_at');
    // An alarm is never postponed, because the reason it was set for may no longer be known.
    if (wanted === null || (set !== null && set <= wanted)) return;
    this.#registry.setFact('alarm_at', wanted);
    this.#time.setAlarm(wanted);
  }

  rang(): void {
    this.#registry.setFact('alarm_at', null);
  }
}
