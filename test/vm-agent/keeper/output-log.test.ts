import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputLog } from '../../../vm-agent/keeper/output-log.ts';
import { checkProperty } from '../../support/property.ts';

/** All kept bytes from `offset` on, in as many views as it takes. */
function readFrom(log: OutputLog, offset: number, max: number): Buffer {
  const views: Uint8Array[] = [];
  for (let at = offset; ; ) {
    const view = log.view(at, max);
    if (view.length === 0) return Buffer.concat(views);
    if (view.length > max) expect.fail(`${view.length} bytes`);
    views.push(view);
    at += view.length;
  }
}

describe('the output that is kept', () => {
  it('[K1] agrees with an unlimited array', () => {
    const write = fc.record({
      /** Beyond the first block, and beyond the longest. */
      length: fc.oneof(fc.nat({ max: 2000 }), fc.nat({ max: 100_000 })),
      byte: fc.nat({ max: 255 }),
    });
    /** Percent of what was printed. */
    const drop = fc.nat({ max: 120 });
    checkProperty(
      'output-log',
      fc.property(
        fc.array(fc.oneof(write, drop), { maxLength: 10 }),
        fc.nat({ max: 1000 }),
        fc.integer({ min: 200, max: 100_000 }),
        (steps, first, max) => {
          const log = new OutputLog(first);
          let everything = Buffer.alloc(0);
          let start = 0;
          for (const step of steps) {
            if (typeof step === 'number') {
              const offset = Math.floor((step * everything.length) / 100);
              start = Math.max(start, Math.min(offset, everything.length));
              log.dropBefore(first + offset);
            } else {
              const bytes = Buffer.alloc(step.length, step.byte);
              log.write(bytes);
              everything = Buffer.concat([everything, bytes]);
              bytes.fill(0); // the caller's array is used again
            }
            expect([log.start, log.end, log.length]).toEqual([
              first + start,
              first + everything.length,
              everything.length - start,
            ]);
            expect(readFrom(log, log.start, max).equals(everything.subarray(start))).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has nothing before its start, after its end, or before the first write', () => {
    const log = new OutputLog();
    expect(log.view(0, 10).length).toBe(0);
    log.write(Buffer.from('0123456789'));
    log.dropBefore(4);
    expect(Buffer.from(log.view(3, 10)).toString()).toBe('');
    expect(Buffer.from(log.view(4, 3)).toString()).toBe('456');
    expect(log.view(10, 10).length).toBe(0);
    log.dropBefore(2);
    expect(log.start).toBe(4);
  });

  it('[M1] uses its blocks again in a flood', () => {
    const log = new OutputLog();
    log.write(Buffer.alloc(300_000));
    const arrays = new Set<ArrayBufferLike>();
    for (let n = 0; n < 100; n++) {
      log.write(Buffer.alloc(10_000));
      log.dropBefore(log.end - 100_000);
      arrays.add(log.view(log.end - 1, 1).buffer);
    }
    expect(arrays.size).toBeLessThan(6);
  });

  it('[M1] takes as much memory as an idle program printed, and gives back what is dropped', () => {
    const before = process.memoryUsage().arrayBuffers;
    const logs = Array.from({ length: 500 }, () => new OutputLog());
    for (const log of logs) log.write(Buffer.from('$ '));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
    const log = new OutputLog();
    log.write(Buffer.alloc(500_000));
    const blocks: number[] = [];
    for (let at = 0; at < log.end; at += blocks.at(-1) as number) blocks.push(log.view(at, 2 ** 20).length);
    expect(blocks.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64].map((kib) => kib * 1024));
    log.dropBefore(log.end);
    log.write(Buffer.from('$ '));
    expect(log.view(log.start, 10).buffer.byteLength).toBe(1024);
  });

  it('[K1] does not use the memory of a dropped block for two others', () => {
    const block = 64 * 1024;
    const log = new OutputLog();
    const piece = (byte: number, length = block) => Buffer.alloc(length, byte);
    // Blocks double from 1 KiB on, so this fills all of those and two of the longest.
    log.write(piece(1, block - 1024));
    log.write(piece(2));
    log.write(piece(3));
    log.dropBefore(2 * block - 1024);
    log.write(piece(4));
    log.write(piece(5));
    const kept = Buffer.concat([piece(3), piece(4), piece(5)]);
    expect(readFrom(log, log.start, block).equals(kept)).toBe(true);
  });

  it('[K1] [M1] uses the blocks that another log has dropped, each once', () => {
    const block = 64 * 1024;
    const [first, ...others] = [new OutputLog(), new OutputLog(), new OutputLog()];
    first?.write(Buffer.alloc(4 * block, 1));
    const dropped = first?.view(3 * block, block).buffer;
    first?.dropBefore(first.end);
    for (const [at, log] of others.entries()) log.write(Buffer.alloc(4 * block, 2 + at));
    for (const [at, log] of others.entries())
      expect(readFrom(log, 0, block).equals(Buffer.alloc(4 * block, 2 + at))).toBe(true);
    const used = others.map((log) => [0, 1, 2, 3].map((n) => log.view(n * block, block).buffer));
    expect(used.flat()).toContain(dropped);
  });
});
