/**
 * The memory of a thread after a garbage collection. Loaded into each thread of a measured agent, where it answers
 * requests.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** Bytes. */
export interface ThreadMemory {
  readonly heapUsed: number;
  readonly heapTotal: number;
  readonly external: number;
  readonly arrayBuffers: number;
}

export const CHANNEL = 'holdfast-memory';
export const ASK = 'ask';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export function collectAndMeasure(): ThreadMemory {
  collect();
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  return { heapUsed, heapTotal, external, arrayBuffers };
}

if (!isMainThread) {
  const channel = new BroadcastChannel(CHANNEL);
  channel.unref();
  channel.onmessage = ({ data }) => {
    if (data === ASK) channel.postMessage(collectAndMeasure());
  };
}
