/**
 * The output of a program, from the oldest byte that is kept to the newest, addressed by absolute offset.
 *
 * It is also the queue towards the agent.
 */

import { RETAINED_ALL_MAX_BYTES } from './limits.ts';

/** Fits a prompt and a few commands, so that an idle shell uses little memory. Each block is twice the one before. */
const FIRST_BLOCK_BYTES = 1024;
const BLOCK_MAX_BYTES = 64 * 1024;

/**
 * Blocks that no log needs any more, for the next ones: a flood would fill the memory with new ones. The logs of all
 * programs share them, and there are no more than they may hold together beyond their histories.
 */
const spares: Uint8Array[] = [];
const SPARES_MAX = RETAINED_ALL_MAX_BYTES / BLOCK_MAX_BYTES;

interface Block {
  /** The offset of its first byte. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  used: number;
}

export class OutputLog {
  #blocks: Block[] = [];
  #start: number;
  #end: number;

  constructor(offset = 0) {
    this.#start = offset;
    this.#end = offset;
  }

  /** Offset of the oldest byte that is kept. */
  get start(): number {
    return this.#start;
  }

  /** Offset one past the newest byte. */
  get end(): number {
    return this.#end;
  }

  get length(): number {
    return this.#end - this.#start;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#blockWithRoom();
      const part = bytes.subarray(at, at + block.bytes.length - block.used);
      block.bytes.set(part, block.used);
      block.used += part.length;
      this.#end += part.length;
      at += part.length;
    }
  }

  /** The kept bytes from `offset` on, at most `max` and perhaps fewer; empty only at the end. Valid until the next write. */
  view(offset: number, max: number): Uint8Array {
    // From the end, because that is where the newest output is sent from.
    const block = this.#blocks.findLast((candidate) => candidate.offset <= offset);
    if (block === undefined || offset < this.#start) return new Uint8Array(0);
    const from = offset - block.offset;
    return block.bytes.subarray(from, Math.min(block.used, from + max));
  }

  /** Everything that is kept, in order. Valid until the next write. */
  pieces(): Uint8Array[] {
    return this.#blocks.map(({ offset, bytes, used }) =>
      bytes.subarray(Math.max(0, this.#start - offset), used),
    );
  }

  /** Bytes before `offset` are no longer needed. */
  dropBefore(offset: number): void {
    if (offset <= this.#start) return;
    this.#start = Math.min(offset, this.#end);
    const first = this.#blocks.findIndex((block) => block.offset + block.used > this.#start);
    const dropped = this.#blocks.splice(0, first === -1 ? this.#blocks.length : first);
    for (const { bytes } of dropped)
      if (bytes.length === BLOCK_MAX_BYTES && spares.length < SPARES_MAX) spares.push(bytes);
  }

  #blockWithRoom(): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.used < last.bytes.length) return last;
    const size = Math.min(BLOCK_MAX_BYTES, last === undefined ? FIRST_BLOCK_BYTES : last.bytes.length * 2);
    const spare = size === BLOCK_MAX_BYTES ? spares.pop() : undefined;
    const bytes = spare ?? new Uint8Array(size);
    const block = { offset: this.#end, bytes, used: 0 };
    this.#blocks.push(block);
    return block;
  }
}
