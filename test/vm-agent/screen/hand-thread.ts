/** A thread that runs on request: the real host, without a worker. */
import { Host } from '../../../vm-agent/screen/host.ts';
import type { StartThread, ThreadEvents, ThreadLink } from '../../../vm-agent/screen/thread-link.ts';
import type { FromThread, ToThread } from '../../../vm-agent/screen/thread-messages.ts';

export class HandThread implements ThreadLink {
  readonly #events: ThreadEvents;
  readonly #host: Host;
  readonly #inbox: ToThread[] = [];
  readonly #outbox: FromThread[] = [];
  /** Time inside the thread moves by this much whenever it is read, so that slices end. */
  readonly #tickMs: number;
  #now = 0;
  slices = 0;
  current = 0;
  isStopped = false;

  constructor(events: ThreadEvents, tickMs: number) {
    this.#events = events;
    this.#tickMs = tickMs;
    this.#host = new Host({
      now: () => {
        this.#now += this.#tickMs;
        return this.#now;
      },
      post: (message) => void this.#outbox.push(message),
      working: () => void this.slices++,
    });
  }

  get terminals(): number {
    return this.#host.size;
  }

  post(message: ToThread): void {
    this.#inbox.push(structuredClone(message));
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }

  /** One slice. Its messages are delivered afterwards. False if there was nothing to do. */
  turn(): boolean {
    for (const message of this.#inbox.splice(0)) this.#host.receive(message);
    const didWork = this.#host.turn();
    for (const message of this.#outbox.splice(0)) this.#events.received(message);
    return didWork;
  }

  /** Until there is nothing left to do. */
  run(): void {
    while (this.turn() || this.#inbox.length > 0);
  }

  dies(culprit = 0): void {
    this.#events.died('died by hand', culprit);
  }
}

/** Starts hand-driven threads and keeps them; the newest is last. */
export function byHand(tickMs = 0.001): { readonly threads: HandThread[]; readonly start: StartThread } {
  const threads: HandThread[] = [];
  return {
    threads,
    start: (events) => {
      const thread = new HandThread(events, tickMs);
      threads.push(thread);
      return thread;
    },
  };
}
