/**
 * The frames between the keeper and the agent process, on the socket pair that the keeper gives it. All numbers are
 * little endian.
 *
 *   u32 length | u8 kind | u8 flags | u16 zero | u32 handle | u64 offset | payload
 *
 * `length` counts everything after itself. What `offset` and the payload mean depends on the kind:
 *
 *   control  JSON, see messages.ts
 *   output   printed at `offset`. Flag ALL: the terminal is empty after it
 *   taken    the program took `offset` more bytes of an instance's input. Flag EARLIER: an earlier agent sent them
 *   input    to be typed: the instance's input at `offset`
 *   answer   to be typed: the terminal's reply to a query
 *   credit   the keeper may read and send output up to `offset`
 *   blob     kept for the next agent under a name
 *
 * The payloads of `taken`, `input` and `blob` begin with a string: its length as u16, and its bytes. The keeper compares
 * these strings and does not read them.
 */
export const KEEPER_HEADER_BYTES = 20;

/** Longer than any frame of ours. The longest are blobs and the ledger of a session with many instances. */
export const KEEPER_FRAME_MAX_BYTES = 8 * 1024 * 1024;

export const KEEPER_KINDS = ['control', 'output', 'taken', 'input', 'answer', 'credit', 'blob'] as const;
export type Kind = (typeof KEEPER_KINDS)[number];

const FLAG = 1;

export interface KeeperFrame {
  readonly kind: Kind;
  readonly handle: number;
  readonly offset: number;
  /** ALL for output, EARLIER for taken input. */
  readonly flag: boolean;
  readonly payload: Buffer;
}

/** Everything of a frame but its payload. */
export type KeeperHeader = Pick<KeeperFrame, 'kind'> &
  Partial<Pick<KeeperFrame, 'handle' | 'offset' | 'flag'>>;

/** What the peer sent is not a frame of ours. */
export class WireError extends Error {}

/** Writes the header of a frame with this payload at `at`. */
export function encodeHeader(
  { kind, handle = 0, offset = 0, flag = false }: KeeperHeader,
  payloadBytes: number,
  into: Buffer,
  at: number,
): void {
  into.writeUInt32LE(KEEPER_HEADER_BYTES - 4 + payloadBytes, at);
  into[at + 4] = KEEPER_KINDS.indexOf(kind);
  into[at + 5] = flag ? FLAG : 0;
  into.writeUInt16LE(0, at + 6);
  into.writeUInt32LE(handle, at + 8);
  into.writeUInt32LE(offset % 2 ** 32, at + 12);
  into.writeUInt32LE(Math.floor(offset / 2 ** 32), at + 16);
}

/** A payload that begins with a name. */
export function named(name: string, bytes: Uint8Array): Buffer {
  const length = Buffer.byteLength(name);
  const payload = Buffer.allocUnsafe(2 + length + bytes.length);
  payload.writeUInt16LE(length, 0);
  payload.write(name, 2);
  payload.set(bytes, 2 + length);
  return payload;
}

export function readNamed(payload: Buffer): { name: string; bytes: Buffer } {
  const length = payload.length < 2 ? Number.POSITIVE_INFINITY : payload.readUInt16LE(0);
  if (2 + length > payload.length) throw new WireError('a name that is longer than its frame');
  return { name: payload.toString('utf8', 2, 2 + length), bytes: payload.subarray(2 + length) };
}

/** Cuts a stream into frames, however it was cut into pieces. A piece may be reused after it was read. */
export class FrameReader {
  /** The beginning of a frame whose rest has not come yet. */
  #begun = Buffer.allocUnsafe(0);
  #begunBytes = 0;

  /** The frames that `piece` completes. Their payloads are valid until the next one. */
  *read(piece: Buffer): Generator<KeeperFrame> {
    let at = 0;
    while (this.#begunBytes > 0) {
      const wanted = this.#begunBytes < 4 ? 4 : lengthIn(this.#begun);
      const part = piece.subarray(at, at + wanted - this.#begunBytes);
      this.#keep(part, wanted);
      at += part.length;
      if (this.#begunBytes < wanted) return;
      if (wanted === 4) continue;
      this.#begunBytes = 0;
      yield frameIn(this.#begun.subarray(0, wanted));
    }
    while (piece.length - at >= 4) {
      const rest = at === 0 ? piece : piece.subarray(at);
      const length = lengthIn(rest);
      if (rest.length < length) break;
      at += length;
      yield frameIn(rest.subarray(0, length));
    }
    this.#keep(piece.subarray(at), 0);
  }

  #keep(part: Buffer, wanted: number): void {
    const needed = Math.max(wanted, this.#begunBytes + part.length);
    if (this.#begun.length < needed) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#begun.length));
      this.#begun.copy(larger, 0, 0, this.#begunBytes);
      this.#begun = larger;
    }
    part.copy(this.#begun, this.#begunBytes);
    this.#begunBytes += part.length;
  }
}

/** The length of the frame that begins here. */
function lengthIn(bytes: Buffer): number {
  const length = 4 + bytes.readUInt32LE(0);
  if (length < KEEPER_HEADER_BYTES || length > KEEPER_FRAME_MAX_BYTES)
    throw new WireError(`a frame of ${length} bytes`);
  return length;
}

function frameIn(bytes: Buffer): KeeperFrame {
  const kind = KEEPER_KINDS[bytes[4] as number];
  if (kind === undefined) throw new WireError(`a frame of kind ${bytes[4]}`);
  return {
    kind,
    flag: ((bytes[5] as number) & FLAG) !== 0,
    handle: bytes.readUInt32LE(8),
    offset: bytes.readUInt32LE(12) + bytes.readUInt32LE(16) * 2 ** 32,
    payload: bytes.subarray(KEEPER_HEADER_BYTES),
  };
}
