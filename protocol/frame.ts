/**
 * Data frames: terminal bytes, and everything that must stay in order with them. Rules WF1 to WF5.
 *
 *   0        1        2                 4                 8                12                20
 *   ┌────────┬────────┬─────────────────┬─────────────────┬─────────────────┬────────────────┬─────────
 *   │ kind   │ flags  │ reserved (0)    │ channel         │ session handle  │ offset         │ payload
 *   └────────┴────────┴─────────────────┴─────────────────┴─────────────────┴────────────────┴─────────
 *     u8       u8       u16               u32               u32               u64, below 2^53  opaque
 *
 * All integers are big-endian. The relay reads and writes only the header, so that payloads can be encrypted in a
 * future version.
 */
import { ProtocolError } from './errors.ts';
import { PAYLOAD_MAX_BYTES, SIZE_MAX_CELLS } from './limits.ts';

export const HEADER_BYTES = 20;
export const FRAME_MAX_BYTES = HEADER_BYTES + PAYLOAD_MAX_BYTES;

/** Addresses every client subscribed to the session, instead of one. */
export const CHANNEL_ALL = 0;

const KIND_AT = 0;
const FLAGS_AT = 1;
const RESERVED_AT = 2;
const CHANNEL_AT = 4;
const HANDLE_AT = 8;
const OFFSET_AT = 12;
const TWO_TO_32 = 2 ** 32;

/** Flag of an output frame: acknowledge as soon as this is shown. */
const ACK_WANTED = 1;

/** The number of each kind on the wire. Never reuse one. */
export const KINDS = {
  /** Agent to client: bytes the program printed. The offset is that of the first byte in the output. */
  output: 1,
  /** Client to agent: bytes a person typed. The offset is that of the first byte in this instance's input. */
  input: 2,
  /** Agent to client: the terminal has this size from this output offset on (payload: cols u16, rows u16). */
  resize: 3,
  /** Agent to client: a piece of a snapshot. The offset is that of the piece in the snapshot. */
  snapshot: 4,
  /** Both directions: everything in the other side's stream below this offset has been consumed. No payload. */
  ack: 5,
} as const;

export type FrameKind = keyof typeof KINDS;

/** By number. The relay looks one up for every frame. */
const KIND_NAMES: (FrameKind | undefined)[] = [];
for (const [name, number] of Object.entries(KINDS)) KIND_NAMES[number] = name as FrameKind;

export interface FrameHeader {
  readonly kind: FrameKind;
  readonly channel: number;
  readonly handle: number;
  readonly offset: number;
  /** On output frames: half of the credit window is in use, so the receiver acknowledges at once. */
  readonly wantsAck?: boolean;
}

export interface Frame extends FrameHeader {
  readonly payload: Uint8Array<ArrayBuffer>;
}

const NOTHING = new Uint8Array(0);

export function encodeFrame(header: FrameHeader, payload: Uint8Array = NOTHING): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(KIND_AT, KINDS[header.kind]);
  if (header.wantsAck) view.setUint8(FLAGS_AT, ACK_WANTED);
  view.setUint32(CHANNEL_AT, header.channel);
  view.setUint32(HANDLE_AT, header.handle);
  view.setUint32(OFFSET_AT, Math.floor(header.offset / TWO_TO_32));
  view.setUint32(OFFSET_AT + 4, header.offset % TWO_TO_32);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Decodes a whole frame. Its payload is a view into `bytes`, not a copy. */
export function decodeFrame(bytes: Uint8Array<ArrayBuffer>): Frame {
  const header = decodeHeader(bytes);
  return { ...header, payload: bytes.subarray(HEADER_BYTES) };
}

/** Decodes and validates the header. The relay does this for every frame, so it reads nothing else. */
export function decodeHeader(bytes: Uint8Array<ArrayBuffer>): FrameHeader {
  if (bytes.length < HEADER_BYTES) throw new ProtocolError(`a frame of ${bytes.length} bytes has no header`);
  if (bytes.length > FRAME_MAX_BYTES) {
    throw new ProtocolError(
      `a payload of ${bytes.length - HEADER_BYTES} bytes; ${PAYLOAD_MAX_BYTES} are allowed`,
    );
  }
  const number = byteAt(bytes, KIND_AT);
  const kind = KIND_NAMES[number];
  if (kind === undefined) throw new ProtocolError(`no frame kind has the number ${number}`);
  const flags = byteAt(bytes, FLAGS_AT);
  const allowed = kind === 'output' ? ACK_WANTED : 0;
  if (((flags & ~allowed) | byteAt(bytes, RESERVED_AT) | byteAt(bytes, RESERVED_AT + 1)) !== 0) {
    throw new ProtocolError('unknown flags and reserved bits must be zero');
  }
  if (kind === 'ack' && bytes.length > HEADER_BYTES) throw new ProtocolError('an ack with a payload');
  const offset = uint32At(bytes, OFFSET_AT) * TWO_TO_32 + uint32At(bytes, OFFSET_AT + 4);
  if (!Number.isSafeInteger(offset)) throw new ProtocolError('an offset beyond 2^53');
  const channel = uint32At(bytes, CHANNEL_AT);
  const handle = uint32At(bytes, HANDLE_AT);
  return flags === 0 ? { kind, channel, handle, offset } : { kind, channel, handle, offset, wantsAck: true };
}

/** `at` lies within the header, whose length was checked. */
function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

/** Written by hand: creating a DataView for each frame costs the relay more than reading it. */
function uint32At(bytes: Uint8Array, at: number): number {
  return (
    ((byteAt(bytes, at) << 24) |
      (byteAt(bytes, at + 1) << 16) |
      (byteAt(bytes, at + 2) << 8) |
      byteAt(bytes, at + 3)) >>>
    0
  );
}

/** Writes the sender's channel into the frame in place, whatever the sender wrote there. */
export function stampChannel(bytes: Uint8Array<ArrayBuffer>, channel: number): void {
  bytes[CHANNEL_AT] = channel >>> 24;
  bytes[CHANNEL_AT + 1] = channel >>> 16;
  bytes[CHANNEL_AT + 2] = channel >>> 8;
  bytes[CHANNEL_AT + 3] = channel;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export function encodeSize(size: Size): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, size.cols);
  view.setUint16(2, size.rows);
  return bytes;
}

export function decodeSize(payload: Uint8Array<ArrayBuffer>): Size {
  if (payload.length !== 4) throw new ProtocolError(`a size of ${payload.length} bytes`);
  const view = new DataView(payload.buffer, payload.byteOffset, 4);
  const size = { cols: view.getUint16(0), rows: view.getUint16(2) };
  if (!isSize(size)) throw new ProtocolError(`a size of ${size.cols} by ${size.rows} cells`);
  return size;
}

/** Whether a terminal may have this size. */
export function isSize({ cols, rows }: Size): boolean {
  return [cols, rows].every((cells) => Number.isInteger(cells) && cells >= 1 && cells <= SIZE_MAX_CELLS);
}
