/**
 * What was typed into one session and is not yet acknowledged. Rules IN1, IN4 and IN6.
 *
 *   ──── acknowledged ────┬──── in flight ────┬──── waiting ────
 *   the program has it    │ sent, maybe taken │ not sent yet
 *
 * Input is a stream with offsets, counted per client instance. After a reconnect to the same agent the rest
 * is sent again from where the agent says it is; to another agent's life nothing is, because a command typed
 * at a dead screen must not run in a new shell. What was never sent can be taken back.
 */
import { INPUT_WINDOW_BYTES, PAYLOAD_MAX_BYTES } from '../protocol/limits.ts';

export interface InputFrame {
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class InputOutbox {
  /** Offset of the first byte of `#pending`. */
  #acknowledged = 0;
  /** Offset up to which bytes have been sent on this link. */
  #sent = 0;
  /** Offset up to which bytes have been sent on any link: these may have been taken. */
  #everSent = 0;
  #pending: Uint8Array<ArrayBuffer>[] = [];
  #pendingBytes = 0;

  /** Bytes the program has taken, as far as we know. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Bytes typed that the program has not taken, as far as we know. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Of those, bytes that have not left this client. */
  get waitingBytes(): number {
    return this.#acknowledged + this.#pendingBytes - Math.max(this.#everSent, this.#acknowledged);
  }

  /** What was typed and not taken, as far as we know, oldest first. */
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

  /** What to send now: the agent is never sent more than a window of what it has not acknowledged. [IN6] */
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

  /** Everything below `offset` has been taken by the program. */
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

  /** Begins where this instance left off when it was attached before; what was typed since waits behind that. */
  begin(offset: number): void {
    this.#acknowledged = offset;
    this.#sent = offset;
    this.#everSent = offset;
  }

  /** A new link, on which the agent has taken everything below `offset`: the rest is to be sent again. */
  resume(offset: number): void {
    this.acknowledge(offset);
    this.#sent = this.#acknowledged;
  }

  /** Takes back what was never sent; returns how many bytes that were. */
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

  /** Gives up everything and starts counting anew; returns how many bytes that were. */
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
