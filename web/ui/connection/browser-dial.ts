/** Implements `Dial` with the browser's WebSocket. */
import { CLOSE, closeCodeOfStatus, closeReason } from '../../../protocol/close-codes.ts';
import type { Dial, SocketEvents } from '../../../protocol/connection.ts';
import { SUBPROTOCOL, ticketOffer } from '../../../protocol/version.ts';
import type { PageLogin } from '../login/page-login.ts';
import { buyTicket } from './buy-ticket.ts';

export interface Place {
  readonly relay: URL;
  readonly workspace: string;
  /** Returns the token of the user of an embedder's page. Without it, the relay's page cookie is used. */
  readonly getToken?: (() => Promise<string>) | undefined;
}

/** `login` keeps the relay's own page logged in. */
export function browserDial(place: Place, login?: PageLogin): Dial {
  return (events) => {
    let socket: WebSocket | null = null;
    let isGivenUp = false;
    const open = (subprotocols: string[]) => {
      if (!isGivenUp) socket = openSocket(place, subprotocols, events, login);
    };
    if (login !== undefined) {
      void login.ready().then((standing) => {
        if (standing === 'in' || standing === 'unknown') open([SUBPROTOCOL]);
        else events.closed(standing === 'refused' ? CLOSE.unauthorized : CLOSE.abnormal, '');
      });
    } else if (place.getToken === undefined) open([SUBPROTOCOL]);
    else {
      buyTicket(place, place.getToken).then(
        (bought) => {
          if (bought.name === 'bought') open([SUBPROTOCOL, ticketOffer(bought.ticket)]);
          else events.closed(bought.code, '');
        },
        () => events.closed(CLOSE.abnormal, ''),
      );
    }
    return {
      send: (frame) => socket?.send(frame),
      close: (code, reason) => {
        isGivenUp = true;
        // A page may close only with 1000 or with its own codes (3000 and up); any other code throws.
        if (code === CLOSE.normal || code >= 3000) socket?.close(code, closeReason(reason));
        else socket?.close();
      },
    };
  };
}

function openSocket(
  place: Place,
  subprotocols: string[],
  events: SocketEvents,
  login: PageLogin | undefined,
): WebSocket {
  const socket = new WebSocket(socketAddress(place), subprotocols);
  socket.binaryType = 'arraybuffer';
  let hasOpened = false;
  socket.onopen = () => {
    hasOpened = true;
    events.opened();
  };
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    // Only a message proves that the login was accepted: the relay also opens a socket to report that a credential is
    // invalid.
    login?.accepted();
    events.received(typeof data === 'string' ? data : new Uint8Array(data));
  };
  socket.onclose = async ({ code, reason }) => {
    const why = hasOpened ? { code, reason } : { code: await whyNotOpened(place), reason: '' };
    const mayTryAgain = why.code === CLOSE.unauthorized && (await login?.replace()) === true;
    events.closed(mayTryAgain ? CLOSE.abnormal : why.code, why.reason);
  };
  return socket;
}

/**
 * A browser hides the status of a refused upgrade: 401 and a dead network both look like 1006, and only one of them
 * gets better by dialling again. The same gate guards `health`, so the page asks there instead.
 */
async function whyNotOpened({ relay, workspace, getToken }: Place): Promise<number> {
  // A page that has just bought a ticket was let in a moment ago, so the socket failed for another reason.
  if (getToken !== undefined) return CLOSE.abnormal;
  try {
    const address = new URL(`/api/workspaces/${workspace}/health`, relay);
    const { status } = await fetch(address, { cache: 'no-store' });
    return closeCodeOfStatus(status);
  } catch {
    return CLOSE.abnormal;
  }
}

function socketAddress({ relay, workspace }: Place): URL {
  const address = new URL(`/ws/workspaces/${workspace}`, relay);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return address;
}
