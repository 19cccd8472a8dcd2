/**
 * The page's clock. Its timers run in timer-worker.ts, because those of a hidden page fire only once a minute: the
 * heartbeat would be late, and a live page would be taken for dead.
 */
import type { Cancel, Clock } from '../../../protocol/clock.ts';

export interface TimerRequest {
  readonly id: number;
  readonly ms: number | 'cancel';
}

/** The part of a Worker that the clock needs. */
export interface TimerThread {
  postMessage(request: TimerRequest): void;
  onmessage: ((event: MessageEvent<number>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Task {
  readonly due: number;
  readonly run: () => void;
}

export class WorkerClock implements Clock {
  readonly #tasks = new Map<number, Task>();
  #request: (request: TimerRequest) => void;
  #lastId = 0;

  constructor(thread: TimerThread) {
    this.#request = (request) => thread.postMessage(request);
    thread.onmessage = ({ data: id }) => this.#ring(id);
    // The worker's file may be gone after a deploy. A throttled clock is worse than this one and far better than none.
    thread.onerror = () => this.#doWithout();
  }

  now(): number {
    return performance.now();
  }

  after(ms: number, run: () => void): Cancel {
    const id = ++this.#lastId;
    this.#tasks.set(id, { due: this.now() + ms, run });
    this.#request({ id, ms });
    return () => {
      if (this.#tasks.delete(id)) this.#request({ id, ms: 'cancel' });
    };
  }

  #ring(id: number): void {
    const task = this.#tasks.get(id);
    this.#tasks.delete(id);
    task?.run();
  }

  #doWithout(): void {
    this.#request = ({ id, ms }) => {
      // A cancelled task is no longer in the map, so its timer does nothing when it fires.
      if (ms !== 'cancel') setTimeout(() => this.#ring(id), ms);
    };
    for (const [id, { due }] of this.#tasks) this.#request({ id, ms: Math.max(0, due - this.now()) });
  }
}
