/**
 * Entry point of a worker thread. It takes messages between slices, so that a snapshot requested during bulk output is
 * noticed after the current slice.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { Host } from './host.ts';
import type { ToThread } from './thread-messages.ts';

if (parentPort === null) throw new Error('invariant: thread.ts runs in a worker thread');
const port = parentPort;

/** Shared with the main thread: the screen whose slice is running, and the number of slices so far. */
const pulse = new Int32Array((workerData as { pulse: SharedArrayBuffer }).pulse);

const host = new Host({
  now: () => performance.now(),
  post: (message) => port.postMessage(message),
  working: (screen) => {
    Atomics.store(pulse, 0, screen);
    Atomics.add(pulse, 1, 1);
  },
});

/**
 * By default V8 lets the heap grow to four times what is in use before it collects garbage. Writing a snapshot of many
 * colours makes garbage all the time, so the process would keep several times the memory of the largest history.
 */
setFlagsFromString('--heap-growing-percent=100');

/**
 * V8 collects garbage only when it needs memory. A thread whose terminals are all asleep needs none, so their memory
 * would stay in the process for hours. So the collector is called once the thread has been idle for a while. This mode
 * returns the freed pages to the system, which an ordinary collection does not. Node offers no other way.
 */
const COLLECT_AFTER_MS = 1000;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: Readonly<Record<string, string>>) => void;

let isScheduled = false;
let collection: NodeJS.Timeout | undefined;

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  clearTimeout(collection);
  setImmediate(() => {
    isScheduled = false;
    if (host.turn()) schedule();
    else if (host.hasGarbage) collection = setTimeout(clean, COLLECT_AFTER_MS);
  });
}

function clean(): void {
  host.hasGarbage = false;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

port.on('message', (message: ToThread) => {
  host.receive(message);
  schedule();
});
