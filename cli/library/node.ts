/** `holdfast/node`: what the client library needs of Node. */
import { relayDial } from '../../vm-agent/relay-socket.ts';
import { systemClock } from '../../vm-agent/system-clock.ts';
import { inflate } from '../inflate.ts';

/** Opens sockets to the relay with a token that is asked for before each dial. */
export function dialFromNode(relay: string | URL, workspace: string, getToken: () => string) {
  return relayDial(relay, `/ws/workspaces/${workspace}`, () => ({ ok: true, token: getToken() }));
}

export { inflate, systemClock };
