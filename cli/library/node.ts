/** `holdfast/node`: the parts that the client library needs on Node. */
import { relayDial } from '../../node/relay-socket.ts';
import { systemClock } from '../../node/system-clock.ts';
import { inflateInNode } from '../client/inflate.ts';

/** Opens sockets to the relay; `getToken` is called before each dial. */
export function dialFromNode(relay: string | URL, workspace: string, getToken: () => string) {
  return relayDial(relay, `/ws/workspaces/${workspace}`, () => ({ ok: true, token: getToken() }));
}

export { inflateInNode as inflate, systemClock };
