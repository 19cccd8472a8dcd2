/**
 * Where a thread begins. Takes messages between slices, so that a snapshot asked for during a flood is
 * heard after the slice that is running.
 */
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

let isScheduled = false;

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    if (host.turn()) schedule();
  });
}

port.on('message', (message: ToThread) => {
  host.receive(message);
  schedule();
});
