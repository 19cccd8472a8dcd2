/**
 * Learns from the relay when the list of machines has changed, over a socket that is open while the page is visible. An
 * open page that nothing happens to costs nothing: its heartbeats wake no object. Rule FL6.
 */

import type { Clock } from '../../../protocol/clock.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { Connection, type Dial } from '../../../protocol/connection.ts';
import { ownerLogin } from './owner-login.ts';

/** Calls `changed` whenever the list may be another, until the returned function is called. */
export function watchMachines(changed: () => void, clock: Clock): () => void {
  let connection: Connection | null = null;
  let stopRenewing = () => {};
  const isVisible = () => document.visibilityState === 'visible';
  const open = () => {
    if (connection !== null) return connection.retryNow();
    // A hidden page needs no cookie; one that is shown again renews it before it is used.
    stopRenewing = ownerLogin.keepFresh(clock);
    connection = new Connection({
      dial,
      clock,
      random: Math.random,
      watched: isVisible,
      renewable: true,
      // While there is no socket, each attempt is a reason to ask: the answer says what is wrong.
      stateChanged: ({ name }) => (name === 'open' || name === 'waiting') && changed(),
      received: () => changed(),
    });
  };
  const close = () => {
    stopRenewing();
    connection?.close();
    connection = null;
  };
  const onVisibility = () => (isVisible() ? open() : close());
  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener('visibilitychange', onVisibility, { signal });
  for (const event of ['online', 'pageshow', 'focus']) addEventListener(event, onVisibility, { signal });
  onVisibility();
  return () => {
    listening.abort();
    close();
  };
}

const dial: Dial = (events) => {
  let socket: WebSocket | null = null;
  let isGivenUp = false;
  void ownerLogin.ready().then(() => {
    if (isGivenUp) return;
    const address = new URL('/ws/owner', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    socket = new WebSocket(address);
    socket.onopen = () => events.opened();
    socket.onmessage = ({ data }) => events.received(String(data));
    // Whatever the reason is: whether the login has ended, the answer to the next question says.
    socket.onclose = () => events.closed(CLOSE.abnormal, '');
  });
  return {
    send: (frame) => socket?.send(frame),
    close: () => {
      isGivenUp = true;
      socket?.close();
    },
  };
};
