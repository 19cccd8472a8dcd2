/**
 * Writes the binary frames of a WebSocket client in one piece, and on a plain connection by one system call. `ws` gives
 * header and payload to Node's streams one after the other, which takes three times as long, and a person who types
 * waits for that.
 *
 * `ws` still does everything else: the handshake, text, pings and the end of the connection.
 */
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';

/** The part of a WebSocket that is used here. */
export interface FramedSocket {
  readonly readyState: number;
  send(frame: string | Uint8Array): void;
}

const OPEN = 1;
const FINAL_BINARY = 0x82;
const MASKED = 0x80;
const LENGTH_OF_16_BITS = 126;
const SHORT_MAX_BYTES = 125;
const MASK_BYTES = 4;
/** Longer frames are not made by us. */
const LONG_MAX_BYTES = 0xffff;

/** Sends frames on `socket`, whose mask is zero. */
export function sendUnmasked(socket: FramedSocket, frame: string | Uint8Array): void {
  const { _socket: stream } = socket as unknown as { readonly _socket?: Socket | null };
  const isUsual = typeof frame === 'string' || frame.length > LONG_MAX_BYTES;
  // What Node has not written yet comes first, and `ws` writes behind it.
  if (isUsual || socket.readyState !== OPEN || !stream || stream.writableLength > 0) {
    socket.send(frame);
    return;
  }
  const bytes = framed(frame);
  const fd = plainDescriptor(stream);
  const written = fd === undefined ? 0 : writeNow(fd, bytes);
  if (written < bytes.length) stream.write(bytes.subarray(written));
}

function framed(payload: Uint8Array): Buffer {
  const { length } = payload;
  const isShort = length <= SHORT_MAX_BYTES;
  const headerBytes = (isShort ? 2 : 4) + MASK_BYTES;
  const bytes = Buffer.allocUnsafe(headerBytes + length);
  bytes[0] = FINAL_BINARY;
  bytes[1] = MASKED | (isShort ? length : LENGTH_OF_16_BITS);
  if (!isShort) bytes.writeUInt16BE(length, 2);
  bytes.fill(0, headerBytes - MASK_BYTES, headerBytes);
  bytes.set(payload, headerBytes);
  return bytes;
}

/** Undefined with TLS, whose stream must see every byte. */
function plainDescriptor(stream: Socket): number | undefined {
  if ('encrypted' in stream) return undefined;
  const fd = (stream as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
  return fd === undefined || fd < 0 ? undefined : fd;
}

/** How many bytes the connection takes. Fewer than all means that it is full, or broken, which its stream finds out. */
function writeNow(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0;
  }
}
