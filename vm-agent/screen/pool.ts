/**
 * Manages an agent's screens and the few threads they run in. A thread that dies or hangs is replaced, and its screens
 * are rebuilt as far as possible; the agent keeps running.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import { IMAGES_ASLEEP_MAX_CHARS, IMAGES_KEPT_MAX_CHARS } from '../../protocol/limits.ts';
import { ChunkPool } from './chunk-pool.ts';
import { POOL_QUEUE_MAX_BYTES, STALL_LOOK_MS, STALL_LOOKS, START_LOOKS } from './limits.ts';
import { ScreenMirror } from './screen.ts';
import type { ScreenHome, SessionScreenOptions } from './screen-options.ts';
import { SleepPolicy } from './sleep-policy.ts';
import { type StartThread, startThread, type ThreadLink } from './thread-link.ts';
import { Watermark } from './watermark.ts';

interface PoolOptions {
  readonly clock: Clock;
  /** One is enough, because slices make it fair; a second one only parses two bulk outputs at once. */
  readonly threads?: number;
  readonly start?: StartThread;
  /** A thread was lost; for the log. */
  readonly threadLost?: (reason: string) => void;
}

interface Slot {
  thread: ThreadLink;
  /** `slices` at the last check, and the number of checks without change although there was work. */
  seen: number;
  stalls: number;
}

export class ScreenPool {
  readonly #options: PoolOptions;
  readonly #slots: Slot[] = [];
  readonly #screens = new Map<number, ScreenMirror>();
  readonly #level = new Watermark(POOL_QUEUE_MAX_BYTES);
  readonly #chunks = new ChunkPool();
  readonly #sleepPolicy: SleepPolicy;
  #nextId = 1;
  #isLooking = false;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sleepPolicy = new SleepPolicy(options.clock, () => this.#screens.values());
    for (let count = options.threads ?? 1; count > 0; count--) this.#slots.push(this.#fill());
  }

  get queuedBytes(): number {
    return this.#level.level;
  }

  /** How many screens are in each state. */
  counts(): Readonly<Record<'awake' | 'dozing' | 'asleep', number>> {
    const counts = { awake: 0, dozing: 0, asleep: 0 };
    for (const { state } of this.#screens.values()) if (state !== 'closed') counts[state]++;
    return counts;
  }

  open(size: Size, options: SessionScreenOptions): ScreenMirror {
    const id = this.#nextId++;
    const screen = new ScreenMirror(id, size, options, this.#home(id));
    this.#screens.set(id, screen);
    this.#sleepPolicy.look();
    return screen;
  }

  /** Ends the threads and closes every screen. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sleepPolicy.stop();
    for (const screen of this.#screens.values()) screen.close();
    this.#screens.clear();
    await Promise.all(this.#slots.map((slot) => slot.thread.stop()));
  }

  #home(id: number): ScreenHome {
    const pool = this;
    return {
      clock: this.#options.clock,
      chunks: this.#chunks,
      get isFull() {
        return pool.#level.isFull;
      },
      get imageRoom() {
        return pool.#imageRoom;
      },
      thread: () => this.#leastUsed(),
      queued: (change) => this.#queued(change, id),
      settled: () => this.#isClosed || this.#sleepPolicy.look(),
    };
  }

  /** Those that are falling asleep have not told yet what they keep; each may keep what a terminal remembers. */
  get #imageRoom(): number {
    let kept = 0;
    for (const { state, stored } of this.#screens.values())
      kept += state === 'dozing' ? 2 * IMAGES_KEPT_MAX_CHARS : stored.imageChars;
    return Math.max(0, IMAGES_ASLEEP_MAX_CHARS - kept);
  }

  #queued(change: number, id: number): void {
    const wasFull = this.#level.isFull;
    this.#level.set(this.#level.level + change);
    if (this.#screens.get(id)?.state === 'closed') this.#screens.delete(id);
    if (this.#level.isFull !== wasFull) for (const screen of this.#screens.values()) screen.poolChanged();
    this.#look();
  }

  #leastUsed(): ThreadLink {
    const used = new Map(this.#slots.map((slot) => [slot.thread, 0]));
    for (const { thread } of this.#screens.values()) {
      if (thread !== undefined) used.set(thread, (used.get(thread) ?? 0) + 1);
    }
    const [least] = this.#slots.toSorted((a, b) => (used.get(a.thread) ?? 0) - (used.get(b.thread) ?? 0));
    if (least === undefined) throw new Error('invariant: a pool has a thread');
    return least.thread;
  }

  #fill(): Slot {
    const start = this.#options.start ?? startThread;
    const thread: ThreadLink = start({
      received: (message) => {
        const screen = this.#screens.get(message.screen);
        // Ignore messages from a thread that was replaced.
        if (screen?.thread === thread) screen.received(message);
      },
      died: (reason, culprit) => this.#replace(thread, reason, culprit),
    });
    return { thread, seen: 0, stalls: 0 };
  }

  #replace(thread: ThreadLink, reason: string, culprit: number): void {
    const index = this.#slots.findIndex((slot) => slot.thread === thread);
    if (index === -1 || this.#isClosed) return;
    this.#options.threadLost?.(reason);
    this.#slots[index] = this.#fill();
    for (const screen of this.#screens.values()) {
      if (screen.thread === thread) screen.threadDied(screen.id === culprit);
    }
  }

  /**
   * Checks once a second, while there is work, whether the threads make progress. Several checks in a row must fail:
   * after a suspended machine wakes, the first check may run before the thread does.
   */
  #look(): void {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    this.#options.clock.after(STALL_LOOK_MS, () => {
      this.#isLooking = false;
      for (const slot of this.#slots) this.#lookAt(slot);
      if ([...this.#screens.values()].some((screen) => screen.isBusy)) this.#look();
    });
  }

  #lookAt(slot: Slot): void {
    const { thread } = slot;
    const isBusy = [...this.#screens.values()].some((screen) => screen.thread === thread && screen.isBusy);
    slot.stalls = isBusy && thread.slices === slot.seen ? slot.stalls + 1 : 0;
    slot.seen = thread.slices;
    // One that has never worked is still being started.
    const hasWorked = thread.slices !== 0 || thread.current !== 0;
    if (slot.stalls < (hasWorked ? STALL_LOOKS : START_LOOKS)) return;
    const culprit = thread.current;
    void thread.stop();
    this.#replace(thread, 'no progress', culprit);
  }
}
