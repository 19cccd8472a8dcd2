/** The client of a bare program. */
import type { WebSocket } from 'ws';
import { clientSide } from './client-side.ts';
import type { ContenderOptions } from './contender.ts';
import { type Program, Terminal } from './terminal.ts';

export function startBareTerminal(
  socket: WebSocket,
  { command, args }: Program,
  { client, windowBytes }: ContenderOptions,
): Terminal {
  const take = clientSide(client);
  const terminal = new Terminal((bytes) => socket.send(bytes));
  const ackEvery = windowBytes === undefined ? Number.POSITIVE_INFINITY : windowBytes / 4;
  let taken = 0;
  let told = 0;
  socket.on('message', (data: Buffer<ArrayBuffer>, isBinary) => {
    if (!isBinary) return;
    take(data, () => {
      taken += data.length;
      if (taken - told >= ackEvery) {
        told = taken;
        socket.send(JSON.stringify({ ack: told }));
      }
      terminal.print(data);
    });
  });
  socket.send(JSON.stringify({ start: [command, ...args] }));
  return terminal;
}
