/**
 * Input typed into one session that is not yet acknowledged. Rules IN1, IN4 and IN6.
 *
 *   ──── acknowledged ────┬──── in flight ────┬──── waiting ────
 *   the program has it    │ sent, maybe taken │ not sent yet
 *
 * Input is a stream with offsets, counted per client instance. After a reconnect to the same epoch, the rest is sent
 * again from the offset that the agent reports. To another epoch nothing is sent, because a command typed at a frozen
 * screen must not run in a new shell. Input that was never sent can be discarded.
 */
import { INPUT_WINDOW_BYTES, PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';

export interface InputFrame {
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class InputOutbox {
  /** Offset of the first byte of `#pending`. */
  #acknowledged = 0;
  /** Offset up to which bytes have been sent on this link. */
  #sent = 0;
  /** Offset up to which bytes have been sent on any link, and so may have been taken. */
  #everSent = 0;
  #pending: Uint8Array<ArrayBuffer>[] = [];
  #pendingBytes = 0;

  /** Bytes the program has taken, as far as known. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Bytes typed that the program has not taken, as far as known. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** The part of those bytes that has never been sent. */
  get waitingBytes(): number {
    return this.#acknowledged + this.#pendingBytes - Math.max(this.#everSent, this.#acknowledged);
  }

  /** The input that was typed and not taken, as far as known, oldest first. */
  pending(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#pendingBytes);
    let at = 0;
    for (const piece of this.#pending) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  type(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pending.push(new Uint8Array(bytes));
    this.#pendingBytes += bytes.length;
  }

  /** The frames to send now: the agent is never sent more than a window ahead of its acknowledgements. [IN6] */
  take(): InputFrame[] {
    const end = Math.min(this.#acknowledged + this.#pendingBytes, this.#acknowledged + INPUT_WINDOW_BYTES);
    const frames: InputFrame[] = [];
    let at = this.#acknowledged;
    for (const bytes of this.#pending) {
      const from = Math.max(at, this.#sent);
      const to = Math.min(at + bytes.length, end);
      for (let offset = from; offset < to; offset += PAYLOAD_MAX_BYTES) {
        const piece = bytes.subarray(offset - at, Math.min(offset + PAYLOAD_MAX_BYTES, to) - at);
        frames.push({ offset, bytes: piece });
      }
      at += bytes.length;
      if (at >= end) break;
    }
    this.#sent = Math.max(this.#sent, end);
    this.#everSent = Math.max(this.#everSent, this.#sent);
    return frames;
  }

  /** The program has taken everything below `offset`. */
  acknowledge(offset: number): void {
    let excess = Math.min(offset - this.#acknowledged, this.#pendingBytes);
    if (excess <= 0) return;
    this.#acknowledged += excess;
    this.#pendingBytes -= excess;
    this.#sent = Math.max(this.#sent, this.#acknowledged);
    while (excess > 0) {
      const [first] = this.#pending;
      if (first === undefined) return;
      if (first.length <= excess) this.#pending.shift();
      else this.#pending[0] = first.subarray(excess);
      excess -= Math.min(first.length, excess);
    }
  }

  /** Continues at the offset this instance had when it was attached before. Input typed since then follows it. */
  begin(offset: number): void {
    this.#acknowledged = offset;
    this.#sent = offset;
    this.#everSent = offset;
  }

  /** A new link, on which the agent has taken everything below `offset`; the rest is to be sent again. */
  resume(offset: number): void {
    this.acknowledge(offset);
    this.#sent = this.#acknowledged;
  }

  /** Discards input that was never sent; returns how many bytes. */
  discardWaiting(): number {
    const discarded = this.waitingBytes;
    this.#pendingBytes -= discarded;
    let kept = this.#pendingBytes;
    this.#pending = this.#pending.flatMap((bytes) => {
      const part = bytes.subarray(0, Math.min(bytes.length, kept));
      kept -= part.length;
      return part.length === 0 ? [] : [part];
    });
    return discarded;
  }

  /** Discards everything and counts from zero again; returns how many bytes were discarded. */
  discard(): number {
    const discarded = this.#pendingBytes;
    this.#acknowledged = 0;
    this.#sent = 0;
    this.#everSent = 0;
    this.#pending = [];
    this.#pendingBytes = 0;
    return discarded;
  }
}
