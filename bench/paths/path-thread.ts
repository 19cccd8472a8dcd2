/** The thread of a PathProxy: forwards TCP connections over a delay line in each direction. */
import { connect, createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { DelayLine } from './delay-line.ts';
import type { PathOptions } from './path.ts';

/** What a router in between would hold before the sender has to wait. */
const QUEUE_MAX_MS = 100;

const { port, ...options } = workerData as PathOptions & { readonly port: number };

function carry(from: Socket, to: Socket): void {
  const line = new DelayLine<Buffer>(options);
  let timer: NodeJS.Timeout | undefined;
  const deliver = () => {
    timer = undefined;
    const now = performance.now();
    const due = line.arrived(now);
    if (due.length > 0 && !to.destroyed) to.write(due.length === 1 ? (due[0] as Buffer) : Buffer.concat(due));
    if (line.queuedMs(now) < QUEUE_MAX_MS / 2) from.resume();
    schedule();
  };
  const schedule = () => {
    if (line.nextAt !== null) timer ??= setTimeout(deliver, Math.max(0, line.nextAt - performance.now()));
  };
  from.on('data', (bytes: Buffer) => {
    const now = performance.now();
    line.enter(bytes, bytes.length, now);
    if (line.queuedMs(now) > QUEUE_MAX_MS) from.pause();
    schedule();
  });
  from.on('error', () => {});
  from.on('close', () => {
    clearTimeout(timer);
    to.destroy();
  });
}

const server = createServer((near) => {
  const far = connect(port, '127.0.0.1');
  for (const socket of [near, far]) socket.setNoDelay(true);
  carry(near, far);
  carry(far, near);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === 'object' ? address?.port : undefined);
});
