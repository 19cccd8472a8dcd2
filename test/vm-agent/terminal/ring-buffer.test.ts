import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { RingBuffer } from '../../../vm-agent/terminal/ring-buffer.ts';
import { checkProperty } from '../../support/property.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe('RingBuffer', () => {
  it.each([
    { name: '[P2] is empty before the first write', writes: [], start: 0, held: [] },
    { name: '[P2] holds less than its capacity', writes: [[1, 2]], start: 0, held: [1, 2] },
    {
      name: '[P2] holds exactly its capacity',
      writes: [
        [1, 2],
        [3, 4],
      ],
      start: 0,
      held: [1, 2, 3, 4],
    },
    {
      name: '[P2] wraps around and reads in linear order',
      writes: [
        [1, 2, 3],
        [4, 5],
      ],
      start: 1,
      held: [2, 3, 4, 5],
    },
    {
      name: '[P2] wraps around more than once',
      writes: [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ],
      start: 5,
      held: [6, 7, 8, 9],
    },
    { name: '[P2] ignores a zero-length write', writes: [[1], [], [2]], start: 0, held: [1, 2] },
    {
      name: '[P2] ignores a zero-length write when full',
      writes: [[1, 2, 3, 4, 5], []],
      start: 1,
      held: [2, 3, 4, 5],
    },
    { name: '[M1] evicts the oldest bytes first', writes: [[1, 2, 3, 4], [5]], start: 1, held: [2, 3, 4, 5] },
    {
      name: '[M1] keeps the end of a write above its limit',
      writes: [[9], [1, 2, 3, 4, 5, 6]],
      start: 3,
      held: [3, 4, 5, 6],
    },
  ])('$name', ({ writes, start, held }) => {
    const ring = new RingBuffer(4);
    for (const chunk of writes) ring.write(bytes(...chunk));
    expect(ring.read(0)).toEqual(bytes(...held));
    expect(ring.start).toBe(start);
    expect(ring.end).toBe(writes.flat().length);
    expect(ring.length).toBe(held.length);
  });

  it.each([
    { name: 'from the oldest byte, if an older one is requested', from: 0, held: [3, 4, 5, 6] },
    { name: 'from the requested offset', from: 4, held: [5, 6] },
    { name: 'nothing from its end', from: 6, held: [] },
    { name: 'nothing from beyond its end', from: 60, held: [] },
  ])('[P2] reads $name', ({ from, held }) => {
    const ring = new RingBuffer(4);
    ring.write(bytes(1, 2, 3, 4, 5, 6));
    expect(ring.read(from)).toEqual(bytes(...held));
  });

  it('[P2] reads between writes without affecting them', () => {
    const ring = new RingBuffer(3);
    ring.write(bytes(1, 2));
    expect(ring.read(0)).toEqual(bytes(1, 2));
    ring.write(bytes(3, 4));
    expect(ring.read(0)).toEqual(bytes(2, 3, 4));
    ring.write(bytes(5));
    expect(ring.read(0)).toEqual(bytes(3, 4, 5));
  });

  it('[P2] returns copies that later writes do not change', () => {
    const ring = new RingBuffer(2);
    ring.write(bytes(1, 2));
    const copy = ring.read(0);
    ring.write(bytes(3, 4));
    expect(copy).toEqual(bytes(1, 2));
  });

  it("[P2] copies what is written instead of keeping the caller's array", () => {
    const ring = new RingBuffer(4);
    const reused = bytes(1, 2);
    ring.write(reused);
    reused.fill(9);
    expect(ring.read(0)).toEqual(bytes(1, 2));
  });

  it('[P2] forgets its bytes at a reset, while offsets continue', () => {
    const ring = new RingBuffer(4);
    ring.write(bytes(1, 2, 3, 4, 5));
    ring.reset();
    expect([ring.start, ring.end, ring.length]).toEqual([5, 5, 0]);
    ring.write(bytes(6, 7));
    expect(ring.read(0)).toEqual(bytes(6, 7));
    expect(ring.read(6)).toEqual(bytes(7));
  });

  it('[M1] replays everything it holds on request, and nothing once cleared', () => {
    const limit = 256 * 1024;
    const ring = new RingBuffer(limit);
    const printed = Uint8Array.from({ length: limit + 5000 }, (_, index) => index % 251);
    for (let at = 0; at < printed.length; at += 1000) ring.write(printed.subarray(at, at + 1000));
    expect(Buffer.compare(ring.read(0), printed.subarray(5000))).toBe(0);
    ring.reset();
    expect(ring.read(0)).toEqual(bytes());
  });

  it('[P2] [M1] allocates neither an array nor a view for a write that fits before the end, once it has its full size', () => {
    const ring = new RingBuffer(1024);
    const chunk = new Uint8Array(64).fill(1);
    for (let n = 0; n < 16; n++) ring.write(chunk);
    const arrays = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
    const spies = [vi.spyOn(arrays, 'subarray'), vi.spyOn(arrays, 'slice')];
    const construct = vi.fn(Reflect.construct);
    vi.stubGlobal('Uint8Array', new Proxy(Uint8Array, { construct }));
    for (let n = 0; n < 1000; n++) ring.write(chunk);
    vi.unstubAllGlobals();
    expect([...spies, construct].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
    for (const spy of spies) spy.mockRestore();
  });

  it('[M1] refuses a capacity of zero', () => {
    expect(() => new RingBuffer(0)).toThrow('invariant');
    expect(() => new RingBuffer(Number.NaN)).toThrow('invariant');
  });

  it('[M1] takes as much memory as an idle session printed, not as much as it may print', () => {
    const before = process.memoryUsage().arrayBuffers;
    const rings = Array.from({ length: 500 }, () => new RingBuffer(256 * 1024));
    for (const ring of rings) ring.write(bytes(36, 32));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
    expect(rings.every((ring) => ring.length === 2)).toBe(true);
  });

  /** Small capacities wrap at every step; those above 1 KiB also cross every growth of the array. */
  it.each([16, 5000])('[P2] agrees with an unlimited array, for capacities up to %i', (most) => {
    const write = fc.uint8Array({ maxLength: most + 8, size: 'max' }).map((chunk) => ({ chunk }));
    const step = fc.oneof(
      { weight: 9, arbitrary: write },
      { weight: 1, arbitrary: fc.constant('reset' as const) },
    );
    const history = fc.array(fc.tuple(step, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 20 });
    checkProperty(
      'ring-buffer',
      fc.property(fc.integer({ min: 1, max: most }), history, (capacity, steps) => {
        const ring = new RingBuffer(capacity);
        let everything = Buffer.alloc(0);
        let floor = 0;
        for (const [next, fraction] of steps) {
          if (next === 'reset') {
            ring.reset();
            floor = everything.length;
          } else {
            ring.write(next.chunk);
            everything = Buffer.concat([everything, next.chunk]);
          }
          const start = Math.max(floor, everything.length - capacity);
          const from = Math.floor(fraction * (everything.length + 1));
          expect([ring.start, ring.end]).toEqual([start, everything.length]);
          expect(Buffer.compare(ring.read(from), everything.subarray(Math.max(from, start)))).toBe(0);
        }
      }),
      { numRuns: most > 1000 ? 200 : 1000 },
    );
  });

  it.each([3, 4, 6, 8, 9])('[P2] holds the newest %i bytes once it may hold no more', (capacity) => {
    const ring = new RingBuffer(8);
    ring.write(bytes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    ring.limit(capacity);
    const expected = [...Array(11).keys()].slice(-Math.min(8, capacity));
    expect([...ring.read(0)]).toEqual(expected);
    expect(ring.start).toBe(expected[0]);
    ring.write(bytes(11, 12));
    const later = [...expected, 11, 12].slice(-Math.min(8, capacity));
    expect([...ring.read(0)]).toEqual(later);
    expect([ring.start, ring.end]).toEqual([later[0], 13]);
  });
});
