/**
 * Opens the API's socket to the workspace's object: an ordinary client socket, opened by the Worker for a caller that
 * the gate has authenticated. The object treats it like any other client.
 */
import type { Context } from 'hono';
import { CLOSE, mayBeSent } from '../../../protocol/close-codes.ts';
import type { Dial, Socket, SocketEvents, WireFrame } from '../../../protocol/connection.ts';
import { SUBPROTOCOL } from '../../../protocol/version.ts';
import { type Caller, passCaller } from '../../gate/caller.ts';
import { ApiError } from '../../http/api-error.ts';
import { type App, workspaceOf } from '../../http/http.ts';

/** Returns a socket that is not yet accepted, so that no message is lost before a listener is attached. */
export async function openSocket(
  c: Context<App>,
  caller: Caller = c.var.principal.caller,
): Promise<WebSocket> {
  const answer = await reach(c, caller);
  if (answer.webSocket !== null) {
    if (!c.req.raw.signal.aborted) return answer.webSocket;
    // The request was aborted, so release the seat at once.
    answer.webSocket.accept();
    answer.webSocket.close(CLOSE.normal);
    throw new ApiError(408, 'request_aborted', 'The client abandoned the request.');
  }
  const why = await answer.text();
  if (answer.status === 401) throw new ApiError(401, 'unauthorized', why);
  if (answer.status === 429) throw new ApiError(429, 'too_many_clients', why);
  throw new Error(`the workspace answered ${answer.status}`);
}

/** An object that is being moved or replaced fails once. Opening a socket twice is harmless. */
async function reach(c: Context<App>, caller: Caller, triesLeft = 2): Promise<Response> {
  const client = c.req.path.startsWith('/terminal/') ? 'terminal' : 'api';
  const passed = passCaller({ ...caller, client });
  const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': SUBPROTOCOL, ...passed };
  try {
    return await workspaceOf(c).fetch(new Request(new URL('/', c.req.url), { headers }));
  } catch (error) {
    if (triesLeft === 0) throw error;
    return reach(c, caller, triesLeft - 1);
  }
}

/** Calls `act` once when the client aborts the request. Returns a function that removes the listener. */
export function onGivenUp(c: Context<App>, act: () => void): () => void {
  const { signal } = c.req.raw;
  signal.addEventListener('abort', act);
  if (signal.aborted) act();
  return () => signal.removeEventListener('abort', act);
}

/** Forwards a socket's events, and replaces close codes that may not be sent. */
export function listen(socket: WebSocket, events: SocketEvents): Socket {
  let isOpen = true;
  const closed = (code: number, reason: string) => {
    if (isOpen) events.closed(code, reason);
    isOpen = false;
  };
  // The default depends on the compatibility date. Frames are read synchronously, so Blobs do not work.
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    if (isOpen) events.received(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener('close', ({ code, reason }) => closed(code, reason));
  socket.addEventListener('error', () => closed(CLOSE.abnormal, ''));
  socket.accept();
  return {
    send: (frame: WireFrame) => {
      if (isOpen) socket.send(frame);
    },
    close: (code, reason) => {
      isOpen = false;
      socket.close(mayBeSent(code) ? code : CLOSE.normal, reason);
    },
  };
}

/**
 * For a lasting connection. The first socket is already open, so that a refusal could be answered over HTTP; each lost
 * socket is replaced by a new one.
 */
export function dialObject(c: Context<App>, first: WebSocket): Dial {
  let next: WebSocket | undefined = first;
  // The ticket was redeemed for the first socket. What it opened lasts as long as its token.
  const { ticket: _, ...caller } = c.var.principal.caller;
  return (events) => {
    const ready = next;
    next = undefined;
    let socket: Socket | undefined;
    let isWanted = true;
    const begin = (opened: WebSocket) => {
      if (!isWanted) {
        opened.accept();
        return opened.close(CLOSE.normal);
      }
      socket = listen(opened, events);
      events.opened();
    };
    void (ready === undefined ? openSocket(c, caller) : Promise.resolve(ready)).then(begin, (error) => {
      if (!isWanted) return;
      const isRefused = error instanceof ApiError && error.status === 401;
      events.closed(isRefused ? CLOSE.unauthorized : CLOSE.abnormal, (error as Error).message);
    });
    return {
      send: (frame) => socket?.send(frame),
      close: (code, reason) => {
        isWanted = false;
        socket?.close(code, reason);
      },
    };
  };
}
