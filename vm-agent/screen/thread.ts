/**
 * Where a thread begins. Takes messages between slices, so that a snapshot asked for during a flood is
 * heard after the slice that is running.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { Host } from './host.ts';
import type { ToThread } from './thread-messages.ts';

if (parentPort === null) throw new Error('invariant: thread.ts runs in a worker thread');
const port = parentPort;

/** Shared with the main side: whose slice is running, and how many have run. */
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
 * V8 collects when it wants room, and a thread whose terminals all sleep wants none: their memory would
 * stay with us for hours. So it is told, once there has been nothing to do for a while; an ordinary
 * collection keeps the freed pages, this one returns them. Node offers no other way.
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
