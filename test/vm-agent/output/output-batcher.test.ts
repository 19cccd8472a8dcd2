import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import {
  ANSWER_FRAMES,
  BATCH_MAX_MS,
  EARLY_EVERY_MS,
  EARLY_MAX_FRAMES,
  OutputBatcher,
} from '../../../vm-agent/output/output-batcher.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { checkProperty } from '../../support/property.ts';

/** What a busy terminal yields at once; the reads of these tests leave something behind from this size on. */
const FULL = 4096;

function open() {
  const clock = new FakeClock();
  const frames: Buffer[] = [];
  const batcher = new OutputBatcher(clock, (bytes) => frames.push(Buffer.from(bytes)));
  const read = (length: number, value = 0): void =>
    batcher.write(new Uint8Array(length).fill(value), length < FULL);
  return { clock, frames, batcher, read, sizes: () => frames.map((frame) => frame.length) };
}

describe('OutputBatcher', () => {
  it('emits a short read at once', () => {
    const { clock, read, sizes } = open();
    read(1);
    read(FULL - 1);
    expect(sizes()).toEqual([1, FULL - 1]);
    expect(clock.pending).toBe(0);
  });

  it('[OU12] joins short reads too during a flood, and is fast again after a pause', () => {
    const { clock, read, sizes } = open();
    for (let i = 0; i < EARLY_MAX_FRAMES + 100; i++) read(10);
    expect(sizes()).toEqual(new Array(EARLY_MAX_FRAMES).fill(10));
    clock.advance(BATCH_MAX_MS);
    expect(sizes().at(-1)).toBe(1000);
    clock.advance(BATCH_MAX_MS);
    read(1);
    expect(sizes().at(-1)).toBe(1);
  });

  it('emits a read that empties the terminal at once, whatever its size', () => {
    const { batcher, sizes } = open();
    batcher.write(new Uint8Array(FULL + 20), true);
    expect(sizes()).toEqual([FULL + 20]);
  });

  it('[OU12] emits the response to a key at once, even during a flood', () => {
    const { batcher, read, sizes } = open();
    for (let i = 0; i < EARLY_MAX_FRAMES + 100; i++) read(10);
    batcher.expectAnswer();
    for (let i = 0; i < ANSWER_FRAMES + 100; i++) read(2);
    expect(sizes().slice(EARLY_MAX_FRAMES)).toEqual([1002, ...new Array(ANSWER_FRAMES - 1).fill(2)]);
  });

  it('[OU12] never sends more than one frame in 3 ms, except full ones', () => {
    const reads = fc.array(fc.tuple(fc.integer({ min: 1, max: 8192 }), fc.integer({ min: 0, max: 5 })));
    checkProperty(
      'output-batcher-frames',
      fc.property(reads, (pattern) => {
        const { clock, batcher, read, sizes } = open();
        for (const [length, pause] of pattern) {
          read(length);
          clock.advance(pause);
        }
        batcher.flush();
        const partial = sizes().filter((size) => size < PAYLOAD_MAX_BYTES).length;
        expect(partial).toBeLessThanOrEqual(EARLY_MAX_FRAMES + clock.now() / EARLY_EVERY_MS + 1);
      }),
    );
  });

  it('keeps a full read until its delay is over', () => {
    const { clock, read, sizes } = open();
    read(FULL);
    clock.advance(BATCH_MAX_MS - 1);
    expect(sizes()).toEqual([]);
    clock.advance(1);
    expect(sizes()).toEqual([FULL]);
  });

  it('counts the delay from the oldest byte, so that a steady stream cannot delay itself', () => {
    const { clock, read, sizes } = open();
    read(FULL);
    clock.advance(BATCH_MAX_MS - 1);
    read(FULL);
    clock.advance(1);
    expect(sizes()).toEqual([2 * FULL]);
    expect(clock.pending).toBe(0);
  });

  it('emits waiting bytes together with the short read that ends the burst, in order', () => {
    const { clock, frames, read } = open();
    read(FULL, 1);
    read(3, 2);
    expect(frames).toEqual([Buffer.concat([Buffer.alloc(FULL, 1), Buffer.alloc(3, 2)])]);
    expect(clock.pending).toBe(0);
  });

  it('emits a frame as soon as it is full, and restarts the delay for the rest', () => {
    const { clock, batcher, read, sizes } = open();
    read(PAYLOAD_MAX_BYTES - 1);
    clock.advance(BATCH_MAX_MS - 1);
    read(FULL);
    expect(sizes()).toEqual([PAYLOAD_MAX_BYTES]);
    expect(batcher.pendingBytes).toBe(FULL - 1);
    clock.advance(1);
    expect(sizes()).toEqual([PAYLOAD_MAX_BYTES]);
    clock.advance(BATCH_MAX_MS - 1);
    expect(sizes()).toEqual([PAYLOAD_MAX_BYTES, FULL - 1]);
  });

  it('emits a read of exactly one frame at once and leaves no timer behind', () => {
    const { clock, read, sizes } = open();
    read(PAYLOAD_MAX_BYTES);
    expect(sizes()).toEqual([PAYLOAD_MAX_BYTES]);
    expect(clock.pending).toBe(0);
  });

  it('splits a read larger than a frame', () => {
    const { clock, read, sizes } = open();
    read(2 * PAYLOAD_MAX_BYTES + 5);
    expect(sizes()).toEqual([PAYLOAD_MAX_BYTES, PAYLOAD_MAX_BYTES]);
    clock.advance(BATCH_MAX_MS);
    expect(sizes()).toEqual([PAYLOAD_MAX_BYTES, PAYLOAD_MAX_BYTES, 5]);
  });

  it('emits waiting bytes on request, and nothing if nothing waits', () => {
    const { batcher, clock, read, sizes } = open();
    batcher.flush();
    read(FULL);
    batcher.flush();
    batcher.flush();
    expect(sizes()).toEqual([FULL]);
    expect(clock.pending).toBe(0);
  });

  it('ignores an empty read', () => {
    const { batcher, clock, read, sizes } = open();
    read(0);
    read(FULL);
    read(0);
    expect(sizes()).toEqual([]);
    expect(batcher.pendingBytes).toBe(FULL);
    expect(clock.pending).toBe(1);
  });

  it('copies its input, because the next read overwrites it', () => {
    const { batcher, clock, frames } = open();
    const reused = new Uint8Array(FULL).fill(1);
    batcher.write(reused, false);
    reused.fill(2);
    clock.advance(BATCH_MAX_MS);
    expect(frames).toEqual([Buffer.alloc(FULL, 1)]);
  });

  it('uses one buffer for everything that it joins', () => {
    const clock = new FakeClock();
    const memories = new Set<ArrayBufferLike>();
    const batcher = new OutputBatcher(clock, (bytes) => memories.add(bytes.buffer));
    for (let round = 0; round < 50; round++) {
      batcher.write(new Uint8Array(FULL), false);
      clock.advance(BATCH_MAX_MS);
    }
    expect(memories.size).toBe(1);
  });

  it('emits every byte once, in order, in frames of the right size and never late', () => {
    const step = fc.record({
      length: fc.integer({ min: 0, max: 70_000 }),
      waitMs: fc.integer({ min: 0, max: 6 }),
    });
    checkProperty(
      'output-batcher-bytes',
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { batcher, clock, frames } = open();
        const written: Buffer[] = [];
        for (const [index, { length, waitMs }] of steps.entries()) {
          written.push(Buffer.alloc(length, index + 1));
          batcher.write(Buffer.alloc(length, index + 1), length < FULL);
          clock.advance(waitMs);
          if (waitMs >= BATCH_MAX_MS) expect(batcher.pendingBytes).toBe(0);
        }
        batcher.flush();
        expect(Buffer.compare(Buffer.concat(frames), Buffer.concat(written))).toBe(0);
        expect(frames.every((frame) => frame.length > 0 && frame.length <= PAYLOAD_MAX_BYTES)).toBe(true);
        expect(clock.pending).toBe(0);
      }),
    );
  });
});
