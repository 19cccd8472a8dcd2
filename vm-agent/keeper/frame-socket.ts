/**
 * Sends and receives frames on one end of a socket pair. A person waits for most of them, so a frame is written by one
 * system call at once. Node's own stream takes over when the socket is full, and until it is empty again.
 */
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import {
  encodeHeader,
  FrameReader,
  KEEPER_HEADER_BYTES,
  type KeeperFrame,
  type KeeperHeader,
} from './wire.ts';

/** Fits the largest frame of output, and the frames that wait. */
const SCRATCH_BYTES = 68 * 1024;
const WAITING_MAX_BYTES = 2 * 1024;

/** How long a frame that nobody waits for may wait for another one. */
const LAZY_MS = 2;

export interface FrameSocketEvents {
  /** The payload is valid during this call only. */
  received(frame: KeeperFrame): void;
  /** The socket takes more. */
  drained(): void;
  /** What came is no frame. */
  broken(error: Error): void;
}

export class FrameSocket {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #events: FrameSocketEvents;
  readonly #reader = new FrameReader();
  readonly #scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  /** The frames that wait for another one. */
  readonly #waiting = Buffer.allocUnsafe(WAITING_MAX_BYTES);
  #waitingBytes = 0;
  /** What Node writes when the socket takes more. In a flood that happens hundreds of times a second. */
  readonly #left = Buffer.allocUnsafe(SCRATCH_BYTES);
  #timer: NodeJS.Timeout | undefined;

  constructor(fd: number, socket: Socket, events: FrameSocketEvents) {
    this.#fd = fd;
    this.#socket = socket;
    this.#events = events;
    // The other process has ended; its end is told otherwise.
    socket.on('error', () => {});
  }

  /** The other process has sent `piece`, which may be reused after the call. */
  read(piece: Buffer): void {
    try {
      for (const frame of this.#reader.read(piece)) this.#events.received(frame);
    } catch (error) {
      this.#events.broken(error as Error);
      // Nothing says where the next frame begins.
      this.#socket.destroy();
    }
  }

  /** False while the socket is full. Output waits in its log then, which takes no copies. */
  get isWritable(): boolean {
    return this.#socket.writableLength === 0;
  }

  /** The payload may be reused after the call. */
  send(header: KeeperHeader, payload: Uint8Array): void {
    const waiting = this.#waitingBytes;
    const length = KEEPER_HEADER_BYTES + payload.length;
    if (length + waiting > SCRATCH_BYTES) return this.#sendLong(header, payload);
    // Output comes first, because somebody waits for it. Anything else may be told only after what happened before it.
    const at = header.kind === 'output' ? 0 : waiting;
    encodeHeader(header, payload.length, this.#scratch, at);
    this.#scratch.set(payload, at + KEEPER_HEADER_BYTES);
    this.#waiting.copy(this.#scratch, at === 0 ? length : 0, 0, waiting);
    this.#waitingBytes = 0;
    this.#write(this.#scratch, length + waiting);
  }

  /** Sends a short frame with the next one, or soon. */
  sendLater(header: KeeperHeader, payload: Uint8Array): void {
    const end = this.#waitingBytes + KEEPER_HEADER_BYTES + payload.length;
    // Those that wait were sent first.
    if (end > WAITING_MAX_BYTES) {
      this.#flush();
      return this.send(header, payload);
    }
    encodeHeader(header, payload.length, this.#waiting, this.#waitingBytes);
    this.#waiting.set(payload, this.#waitingBytes + KEEPER_HEADER_BYTES);
    this.#waitingBytes = end;
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#flush(), LAZY_MS);
    else this.#timer.refresh();
  }

  #flush(): void {
    const end = this.#waitingBytes;
    this.#waitingBytes = 0;
    if (end > 0) this.#write(this.#waiting, end);
  }

  #sendLong(header: KeeperHeader, payload: Uint8Array): void {
    this.#flush();
    const frame = Buffer.allocUnsafe(KEEPER_HEADER_BYTES + payload.length);
    encodeHeader(header, payload.length, frame, 0);
    frame.set(payload, KEEPER_HEADER_BYTES);
    if (!this.#socket.destroyed) this.#leave(frame);
  }

  /** Writes the first `end` bytes of `bytes`, which may be reused after the call. */
  #write(bytes: Buffer, end: number): void {
    const { destroyed, writableLength } = this.#socket;
    if (destroyed) return;
    const written = writableLength > 0 ? 0 : writeNow(this.#fd, bytes, end);
    if (written === end) return;
    const rest = bytes.subarray(written, end);
    // Nothing is left of what was left before, if that was so when this call began.
    if (writableLength > 0) return this.#leave(Buffer.from(rest));
    rest.copy(this.#left);
    this.#leave(this.#left.subarray(0, rest.length));
  }

  /** Leaves it to Node, which writes it when the socket takes more. */
  #leave(bytes: Buffer): void {
    this.#socket.write(bytes, (error) => {
      if (!error && this.isWritable) this.#events.drained();
    });
  }
}

/** How many bytes the socket takes. Fewer than all means that it is full, or closed at the other end. */
function writeNow(fd: number, bytes: Uint8Array, end: number): number {
  try {
    return writeSync(fd, bytes, 0, end);
  } catch {
    return 0;
  }
}
