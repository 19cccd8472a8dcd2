/**
 * Tracks how far a client has received one session's output, and decides what to do with the next frame. Rule OU2.
 *
 * Bytes are shown exactly once and in order: an overlap is cut off, and nothing is shown after a hole.
 */
type FramePosition =
  | { readonly kind: 'show'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'known' }
  | { readonly kind: 'hole'; readonly missingBytes: number };

export class OutputCursor {
  #next: number;

  constructor(next = 0) {
    this.#next = next;
  }

  /** Offset of the first byte not yet received. */
  get next(): number {
    return this.#next;
  }

  /** Takes a frame's bytes; after `show` they count as received. */
  accept(offset: number, bytes: Uint8Array<ArrayBuffer>): FramePosition {
    if (offset > this.#next) return { kind: 'hole', missingBytes: offset - this.#next };
    const fresh = bytes.subarray(Math.min(bytes.length, this.#next - offset));
    if (fresh.length === 0) return { kind: 'known' };
    this.#next += fresh.length;
    return { kind: 'show', bytes: fresh };
  }

  /** The screen restarts at `offset`: earlier output is lost or about to be replaced. */
  jump(offset: number): void {
    this.#next = offset;
  }
}
