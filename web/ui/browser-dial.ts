/** The browser's WebSocket as a `Dial`. */
import { CLOSE, closeCodeOfStatus, closeReason } from '../../protocol/close-codes.ts';
import type { Dial } from '../../protocol/connection.ts';
import { SUBPROTOCOL } from '../../protocol/version.ts';

export function browserDial(workspace: string): Dial {
  return (events) => {
    const socket = new WebSocket(socketAddress(workspace), SUBPROTOCOL);
    socket.binaryType = 'arraybuffer';
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      events.opened();
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
      events.received(typeof data === 'string' ? data : new Uint8Array(data));
    socket.onclose = async ({ code, reason }) => {
      if (hasOpened) events.closed(code, reason);
      else events.closed(await whyNotOpened(workspace), '');
    };
    return {
      send: (frame) => socket.send(frame),
      close: (code, reason) => {
        // A page may send 1000 and its own codes only; any other throws.
        if (code === CLOSE.normal || code >= 3000) socket.close(code, closeReason(reason));
        else socket.close();
      },
    };
  };
}

/**
 * A browser hides the status of a refused upgrade: 401 and a dead network both look like 1006, and only one
 * of them gets better by dialling again. The same gate guards `health`, so that is asked instead.
 */
async function whyNotOpened(workspace: string): Promise<number> {
  try {
    const { status } = await fetch(`/api/workspaces/${workspace}/health`, { cache: 'no-store' });
    return closeCodeOfStatus(status);
  } catch {
    return CLOSE.abnormal;
  }
}

function socketAddress(workspace: string): URL {
  const address = new URL(`/ws/workspaces/${workspace}`, location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return address;
}
