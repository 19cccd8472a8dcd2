/** `holdfast/node`: what the client library needs of Node. */
import { inflateRawSync } from 'node:zlib';
import { relayDial } from '../../vm-agent/relay-socket.ts';
import { systemClock } from '../../vm-agent/system-clock.ts';

/** Opens sockets to the relay with a token that is asked for before each dial. */
export function dialFromNode(relay: string | URL, workspace: string, getToken: () => string) {
  return relayDial(relay, `/ws/workspaces/${workspace}`, () => ({ ok: true, token: getToken() }));
}

/** Undoes raw deflate. */
export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(inflateRawSync(bytes));
}

export { systemClock };
