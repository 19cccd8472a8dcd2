/** Finds free ports for programs that must be given one. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Systems assign ports from 32768 up to outgoing connections; such a port may be taken when the program asks for it.
 */
const LOWEST = 20_000;
const COUNT = 12_000;
/** Test files run in parallel processes; each starts its search at a different port. */
const APART = 37;

let asked = 0;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = LOWEST + ((process.pid * APART + asked++) % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`All ports from ${LOWEST} to ${LOWEST + COUNT - 1} are in use.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
