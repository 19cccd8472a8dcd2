/**
 * The API's own way in: an ordinary client socket to the workspace's object, opened by the Worker for the caller
 * that the gate has let in. The object cannot tell it from a page's.
 */
import type { Context } from 'hono';
import { CLOSE, mayBeSent } from '../../../protocol/close-codes.ts';
import type { Dial, Socket, SocketEvents, WireFrame } from '../../../protocol/connection.ts';
import { SUBPROTOCOL } from '../../../protocol/version.ts';
import { type Caller, passCaller } from '../../gate/caller.ts';
import { ApiError } from '../../http/api-error.ts';
import { type App, workspaceOf } from '../../http/http.ts';

/** Not yet accepted: whoever listens first loses nothing. */
export async function openSocket(
  c: Context<App>,
  caller: Caller = c.var.principal.caller,
): Promise<WebSocket> {
  const answer = await reach(c, caller);
  if (answer.webSocket !== null) {
    if (!c.req.raw.signal.aborted) return answer.webSocket;
    // Nobody waits for the answer any more: the seat is given back at once.
    answer.webSocket.accept();
    answer.webSocket.close(CLOSE.normal);
    throw new ApiError(408, 'request_aborted', 'The client abandoned the request.');
  }
  const why = await answer.text();
  if (answer.status === 401) throw new ApiError(401, 'unauthorized', why);
  if (answer.status === 429) throw new ApiError(429, 'too_many_clients', why);
  throw new Error(`the workspace answered ${answer.status}`);
}

/** An object that is just being moved or replaced fails once; opening a socket twice does no harm. */
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

/** Calls back once when whoever sent the request is gone; returns how to stop that. */
export function onGivenUp(c: Context<App>, act: () => void): () => void {
  const { signal } = c.req.raw;
  signal.addEventListener('abort', act);
  if (signal.aborted) act();
  return () => signal.removeEventListener('abort', act);
}

/** Hands a socket's events on, and takes care of what may not be sent when it is closed. */
export function listen(socket: WebSocket, events: SocketEvents): Socket {
  let isOpen = true;
  const closed = (code: number, reason: string) => {
    if (isOpen) events.closed(code, reason);
    isOpen = false;
  };
  // The default depends on the compatibility date; frames are read at once, so not as Blobs.
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
 * For a connection that lasts: begins with a socket that is open already, so that a refusal was an answer of HTTP,
 * and opens another after each one that was lost.
 */
export function dialObject(c: Context<App>, first: WebSocket): Dial {
  let next: WebSocket | undefined = first;
  // A ticket has counted for the first one; what it opened lasts as long as its token.
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
