/**
 * An agent that can report its memory. On SIGUSR2 it collects garbage in every thread and writes one line to stderr:
 * `memory ` and a `Memory` as JSON. What remains after a collection is still referenced; the memory of the process
 * varies for other reasons too.
 */
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';
import { ASK, CHANNEL, collectAndMeasure, type ThreadMemory } from './memory-probe.ts';

export interface Memory {
  readonly rss: number;
  readonly main: ThreadMemory;
  readonly threads: readonly ThreadMemory[];
}

/** Parsing happens in slices, so a thread gets the question soon; one that has ended never answers. */
const ANSWER_WITHIN_MS = 2_000;

const PROBE = new URL('./memory-probe.ts', import.meta.url).href;
const Plain = workerThreads.Worker;
workerThreads.Worker = class extends Plain {
  constructor(file: string | URL, options?: workerThreads.WorkerOptions) {
    super(file, { ...options, execArgv: ['--import', PROBE] });
  }
};
syncBuiltinESMExports();

const channel = new workerThreads.BroadcastChannel(CHANNEL);
channel.unref();

process.on('SIGUSR2', () => {
  const { rss } = process.memoryUsage();
  const threads: ThreadMemory[] = [];
  channel.onmessage = ({ data }) => threads.push(data as ThreadMemory);
  channel.postMessage(ASK);
  const main = collectAndMeasure();
  setTimeout(() => {
    const memory: Memory = { rss, main, threads };
    process.stderr.write(`memory ${JSON.stringify(memory)}\n`);
  }, ANSWER_WITHIN_MS).unref();
});

await import('../../vm-agent/main.ts');
