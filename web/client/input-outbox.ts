/**
 * What was typed into one session and is not yet acknowledged. Rules IN1 and IN4.
 *
 * Input is a stream with offsets, counted per client instance. After a reconnect to the same agent the rest
 * is sent again from where the agent says it is; to another agent's life nothing is, because a command typed
 * at a dead screen must not run in a new shell.
 */
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';

export interface InputFrame {
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class InputOutbox {
  /** Offset of the first byte of `#pending`. */
  #acknowledged = 0;
  #pending: Uint8Array<ArrayBuffer>[] = [];
  #pendingBytes = 0;

  /** Bytes typed that the program has not taken, as far as we know. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Takes what was typed; returns it as frames to send. */
  type(bytes: Uint8Array): InputFrame[] {
    const offset = this.#acknowledged + this.#pendingBytes;
    const copy = new Uint8Array(bytes);
    if (copy.length === 0) return [];
    this.#pending.push(copy);
    this.#pendingBytes += copy.length;
    return cut(offset, copy);
  }

  /** Everything below `offset` has been taken by the program. */
  acknowledge(offset: number): void {
    let excess = Math.min(offset - this.#acknowledged, this.#pendingBytes);
    if (excess <= 0) return;
    this.#acknowledged += excess;
    this.#pendingBytes -= excess;
    while (excess > 0) {
      const [first] = this.#pending;
      if (first === undefined) return;
      if (first.length <= excess) this.#pending.shift();
      else this.#pending[0] = first.subarray(excess);
      excess -= Math.min(first.length, excess);
    }
  }

  /** What to send again to the agent that has taken everything below `offset`. */
  resume(offset: number): InputFrame[] {
    this.acknowledge(offset);
    let at = this.#acknowledged;
    return this.#pending.flatMap((bytes) => {
      const frames = cut(at, bytes);
      at += bytes.length;
      return frames;
    });
  }

  /** Gives up what is pending and starts counting anew; returns how many bytes that were. */
  discard(): number {
    const discarded = this.#pendingBytes;
    this.#acknowledged = 0;
    this.#pending = [];
    this.#pendingBytes = 0;
    return discarded;
  }
}

function cut(offset: number, bytes: Uint8Array<ArrayBuffer>): InputFrame[] {
  const frames: InputFrame[] = [];
  for (let at = 0; at < bytes.length; at += PAYLOAD_MAX_BYTES) {
    frames.push({ offset: offset + at, bytes: bytes.subarray(at, at + PAYLOAD_MAX_BYTES) });
  }
  return frames;
}
