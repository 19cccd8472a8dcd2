/**
 * Opens the relay's listening socket, which workerd inherits. workerd would make a queue of 4096 connections that wait to
 * be accepted, accepts as long as there is one, and looks at nothing else meanwhile: somebody who connects and hangs up
 * without a pause kept everybody's terminals waiting for seconds. With a short queue it is empty now and then; a
 * connection that finds it full is tried again by its own system a second later.
 */
import { createServer, type Server } from 'node:net';
import { StartError } from '../../node/start-error.ts';

/**
 * 64 connections are accepted within some 20 ms. All clients of a relay that has just been started come at once: 1000
 * are served in the same 2 s as with a queue of 4096.
 */
export const QUEUE_MAX = 64;

/** It accepts nothing here: pass it to a child in the same tick, then close it. */
export function openListeningSocket(host: string, port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new StartError(`The relay cannot listen on ${host}, port ${port} (${code}).`)),
    );
    server.listen({ host: addressOf(host), port, backlog: QUEUE_MAX, exclusive: true }, () =>
      resolve(server),
    );
  });
}

/** Node has no public name for it. */
export function descriptorOf(server: Server): number {
  const { _handle: handle } = server as unknown as { _handle?: { fd?: number } | null };
  if (handle?.fd === undefined || handle.fd < 0) throw new StartError('This system cannot pass on a socket.');
  return handle.fd;
}

/** A name has several addresses: `localhost` is 127.0.0.1 here, as people see it in the relay's link. */
function addressOf(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1');
}
