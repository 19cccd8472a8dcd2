/** The address that a relay listens on, and who can use it there. */
import { isLoopbackHost } from '../../node/loopback.ts';
import { UsageError } from '../command-line/usage-error.ts';

const DEFAULT_PORT = 8787;

/** Throws with a message about PORT. */
export function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`PORT is ${JSON.stringify(text)}, which is not a port number.`);
  return port;
}

/** Explains what does not work on this address; null when everything does. */
export function reachWarning(host: string, { isSecure }: { readonly isSecure: boolean }): string | null {
  if (isSecure || isLoopbackHost(host)) return null;
  return [
    `it listens on ${host} over plain http.`,
    'Browsers of other machines cannot log in (a login is kept over https only),',
    'and the network can read the tokens of agents and programs.',
    'Give --cert and --key, or put a TLS proxy in front and give --public-url.',
  ].join(' ');
}
