/** Dials the relay from Node. This is the only file that imports `ws`. */
import { type ClientOptions, WebSocket } from 'ws';
import { CLOSE, closeCodeOfStatus, closeReason } from '../protocol/close-codes.ts';
import type { Dial, Socket, SocketEvents } from '../protocol/connection.ts';
import { SUBPROTOCOL } from '../protocol/version.ts';
import { sendUnmasked } from './direct-frames.ts';
import { type TokenReading, tokenFlaw } from './token-file.ts';

/** Far above any frame of the protocol; a relay that sends more is not ours. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** How long a relay that has closed may take to disconnect: workerd keeps the connection open for half a minute. */
const HANG_UP_WITHIN_MS = 2_000;

/** Our own messages are short; the pages of proxies are not. */
const REASON_MAX_CHARS = 2_000;

/**
 * Clients mask what they send with random bytes, so that a proxy that misreads it cannot mistake it for a request.
 * Inside TLS and on this machine there is no such proxy, and a mask of zeros saves a fifth of the cost of moving bulk
 * output.
 */
export function needsMask({ protocol, hostname }: URL): boolean {
  return protocol !== 'wss:' && !/^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** How a dial identifies itself to the relay in addition to the token. */
export interface Identity {
  /** Headers of the upgrade request. */
  offer(): Record<string, string>;
  /** The first message, given the headers of the relay's answer; null if none is needed. */
  answer(headers: Headers): string | null;
}

/** For clients, which are identified by their token alone. */
const NO_IDENTITY: Identity = { offer: () => ({}), answer: () => null };

/** `path` is the socket's path at the relay; the token is read again before each dial. */
export function relayDial(
  relay: string | URL,
  path: string,
  readToken: () => TokenReading,
  identity = NO_IDENTITY,
): Dial {
  const url = new URL(path, relay);
  url.protocol = url.protocol.replace('http', 'ws');
  return (events) => {
    const reading = readToken();
    if (!reading.ok) return unavailable(CLOSE.unauthorized, reading.why, events);
    const flaw = tokenFlaw(reading.token);
    if (flaw !== null) return unavailable(CLOSE.unauthorized, `The token ${flaw}.`, events);
    try {
      return open(url, reading.token, identity, events);
    } catch (error) {
      // Nothing catches an exception of a later dial, so a dial that cannot be tried counts as a failed one.
      return unavailable(CLOSE.abnormal, `The relay cannot be dialled: ${(error as Error).message}.`, events);
    }
  };
}

function open(url: URL, token: string, identity: Identity, events: SocketEvents): Socket {
  // The types do not include `closeTimeout` yet.
  const options: ClientOptions & { closeTimeout: number } = {
    headers: { Authorization: `Bearer ${token}`, ...identity.offer() },
    // Compression makes small frames slower and costs CPU; see wrangler.toml.
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    closeTimeout: HANG_UP_WITHIN_MS,
    ...(needsMask(url) ? {} : { generateMask: (mask: Buffer) => void mask.fill(0) }),
  };
  const socket = new WebSocket(url, SUBPROTOCOL, options);
  let refusal = CLOSE.abnormal as number;
  let sentence = '';
  let proof: string | null = null;
  socket.on('upgrade', ({ headers }) => {
    try {
      proof = identity.answer(headers);
    } catch (error) {
      sentence = `The relay's challenge cannot be answered: ${(error as Error).message}.`;
      socket.terminate();
    }
  });
  socket.on('open', () => {
    if (proof !== null) socket.send(proof);
    events.opened();
  });
  socket.on('message', (data: Buffer<ArrayBuffer>, isBinary) => {
    // A view instead of a copy: `ws` never reuses a buffer it has handed out, and copies of bulk output would be
    // garbage.
    events.received(
      isBinary ? new Uint8Array(data.buffer, data.byteOffset, data.length) : data.toString('utf8'),
    );
  });
  socket.on('unexpected-response', (_request, response) => {
    refusal = closeCodeOfStatus(response.statusCode ?? 0);
    sentence = `The relay answered ${response.statusCode}.`;
    // The relay says why. A body that does not end is given up with the dial.
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      body = (body + text).slice(0, REASON_MAX_CHARS);
    });
    response.on('error', () => socket.terminate());
    response.on('end', () => {
      sentence = reasonIn(body) ?? sentence;
      socket.terminate();
    });
  });
  socket.on('error', (error) => {
    if (sentence === '') sentence = error.message;
  });
  socket.on('close', (code, reason) =>
    events.closed(code === CLOSE.abnormal ? refusal : code, reason.toString() || sentence),
  );
  return {
    send: needsMask(url) ? (frame) => socket.send(frame) : (frame) => sendUnmasked(socket, frame),
    close: (code, reason) => {
      socket.close(code, closeReason(reason));
      // A dead peer never answers the closing handshake, so do not keep the socket open for it.
      if (code === CLOSE.silent) socket.terminate();
    },
  };
}

/** The message in the relay's answer; undefined if something else answered. */
function reasonIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Without a token there is no dial. It is reported like a refusal, so that the file is read again after the usual wait.
 */
function unavailable(code: number, why: string, events: SocketEvents): Socket {
  queueMicrotask(() => events.closed(code, why));
  return { send: () => {}, close: () => {} };
}
