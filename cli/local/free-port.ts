/**
 * Checks that the relay's address exists and its port is free before workerd starts, because workerd's own error is a
 * stack trace. Port 0 is any free one.
 */
import { createServer } from 'node:net';
import { StartError } from '../../node/start-error.ts';

export async function requireFreePort(
  host: string,
  port: number,
  another = `set PORT to another, for example PORT=${port + 1} npm start`,
): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => reject(portError(error, host, port, another)));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function portError({ code }: NodeJS.ErrnoException, host: string, port: number, another: string): Error {
  if (code === 'EADDRINUSE') {
    return new StartError(`Port ${port} on ${host} is in use by another program; ${another}.`);
  }
  if (code === 'EACCES') return new StartError(`Port ${port} needs root; set PORT to one above 1023.`);
  return new StartError(`HOST is ${host}, which is not an address of this machine (${code}).`);
}
