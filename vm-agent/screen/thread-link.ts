/** A worker thread as the pool sees it. `startThread` makes real ones; tests use one that runs on demand. */
import { Worker } from 'node:worker_threads';
import type { FromThread, ToThread } from './thread-messages.ts';

export interface ThreadEvents {
  received(message: FromThread): void;
  /** It ended by itself. `culprit` is the screen it was working for, or 0. */
  died(reason: string, culprit: number): void;
}

export interface ThreadLink {
  post(message: ToThread): void;
  /** Slices of work done so far; wraps around. If it does not change while there is work, the thread hangs. */
  readonly slices: number;
  /** The screen it is working for, or 0. */
  readonly current: number;
  /** Ends it; no events follow. */
  stop(): Promise<void>;
}

export type StartThread = (events: ThreadEvents) => ThreadLink;

/** Next to this file, as source or as named by the build. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

/** Room for short-lived objects in a thread. The default is three times as much. */
const YOUNG_GENERATION_MAX_MB = 24;

export const startThread: StartThread = (events) => {
  const pulse = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(THREAD, {
    workerData: { pulse: pulse.buffer },
    // A larger one makes parsing no faster, and the process would keep its memory.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
    // xterm logs slow clean-ups to the console; keep that out of our logs.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  let isOver = false;
  const end = (reason: string) => {
    if (isOver) return;
    isOver = true;
    events.died(reason, Atomics.load(pulse, 0));
  };
  worker.on('message', (message: FromThread) => !isOver && events.received(message));
  worker.on('error', (error) => end(error.message));
  worker.on('exit', (code) => end(`exit code ${code}`));
  // Screens alone must not keep the process alive; sessions do.
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    get slices() {
      return Atomics.load(pulse, 1);
    },
    get current() {
      return Atomics.load(pulse, 0);
    },
    async stop() {
      isOver = true;
      await worker.terminate();
    },
  };
};
