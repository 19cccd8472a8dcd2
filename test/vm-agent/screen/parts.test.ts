/** The small parts: incomplete parser input, the queue, the high-water mark, colours, directories. */

import { describe, expect, it } from 'vitest';
import { halfCharacterBytes } from '../../../protocol/utf8.ts';
import { inflateState, PiecewiseDeflate } from '../../../vm-agent/screen/deflate.ts';
import { endOfStep } from '../../../vm-agent/screen/hosted-screen.ts';
import { BATCH_MAX_BYTES, IN_FLIGHT_MAX_BYTES, STEP_MAX_SEQUENCES } from '../../../vm-agent/screen/limits.ts';
import { ParsePace } from '../../../vm-agent/screen/output-feed.ts';
import { OutputQueue } from '../../../vm-agent/screen/output-queue.ts';
import { ParsedSince } from '../../../vm-agent/screen/parsed-since.ts';
import { directoryOf } from '../../../vm-agent/screen/sequences/cwd.ts';
import { Watermark } from '../../../vm-agent/screen/watermark.ts';
import { Palette } from '../../../vm-agent/screen/xterm/palette.ts';
import { bytesOf, terminal } from './terminal-state.ts';

describe('the incomplete input of the parser', () => {
  it.each([
    { printed: 'text', pending: '' },
    { printed: 'text\x1b', pending: '\x1b' },
    { printed: 'a\x1b[1mb\x1b[38;5', pending: '\x1b[38;5' },
    { printed: '\x1b[3\n1', pending: '\x1b[31' },
    { printed: '\x1b[3\x1b]0;t', pending: '\x1b]0;t' },
    { printed: '\x1b]2;title\x1b', pending: '\x1b' },
    { printed: '\x1b]2;a\x9db', pending: '\x9db' },
    { printed: '\x1b_a long application command', pending: '\x1b_' },
    { printed: '\x1bP$q', pending: '\x1bP$q' },
    { printed: '\x1b[3\x18', pending: '' },
    { printed: '\x9b3', pending: '\x9b3' },
  ])('[R1] of $printed is $pending', ({ printed, pending }) => {
    const whole = terminal({ cols: 20, rows: 5 });
    whole.write(bytesOf(printed));
    expect(whole.pendingBytes).toEqual(bytesOf(pending));
    const crumbs = terminal({ cols: 20, rows: 5 });
    for (const byte of bytesOf(printed)) crumbs.write(Uint8Array.of(byte));
    expect(crumbs.pendingBytes).toEqual(bytesOf(pending));
  });

  it.each([
    { bytes: [0x61], half: 0 },
    { bytes: [0xc3], half: 1 },
    { bytes: [0xc3, 0xa9], half: 0 },
    { bytes: [0xe2, 0x80], half: 2 },
    { bytes: [0xf0, 0x9f, 0x91], half: 3 },
    { bytes: [0xf0, 0x9f, 0x91, 0x8d], half: 0 },
    { bytes: [0x80, 0x80, 0x80, 0x80], half: 0 },
    { bytes: [0xff], half: 0 },
    { bytes: [], half: 0 },
  ])('[R1] ends $bytes with $half bytes of a character', ({ bytes, half }) => {
    expect(halfCharacterBytes(Uint8Array.from(bytes))).toBe(half);
  });
});

describe('the queue', () => {
  const queue = () => new OutputQueue(0, { cols: 80, rows: 24 });

  it('[R7] sends no more than may be in the thread, and the rest as that is parsed', () => {
    const q = queue();
    q.write(0, new Uint8Array(4 * IN_FLIGHT_MAX_BYTES), 0);
    const first = q.take();
    expect(first).toHaveLength(IN_FLIGHT_MAX_BYTES / BATCH_MAX_BYTES);
    expect(q.take()).toEqual([]);
    q.parsed({ offset: BATCH_MAX_BYTES, resizes: 0, held: 0 });
    expect(q.take()).toMatchObject([{ offset: IN_FLIGHT_MAX_BYTES }]);
    expect(q.bytes).toBe(4 * IN_FLIGHT_MAX_BYTES - BATCH_MAX_BYTES);
  });

  it('[R7] joins small writes that must wait', () => {
    const q = queue();
    q.write(0, new Uint8Array(IN_FLIGHT_MAX_BYTES), 0);
    q.take();
    for (let n = 0; n < 1000; n++) q.write(IN_FLIGHT_MAX_BYTES + n, Uint8Array.of(n), 1);
    q.parsed({ offset: IN_FLIGHT_MAX_BYTES, resizes: 0, held: 0 });
    expect(q.take()).toHaveLength(1);
  });

  it('[R1] knows when a byte was queued until it is parsed', () => {
    const q = queue();
    q.write(0, bytesOf('one'), 10);
    q.take();
    q.write(3, bytesOf('two'), 20);
    q.take();
    expect([q.queuedAt(2), q.queuedAt(3)]).toEqual([10, 20]);
    q.parsed({ offset: 3, resizes: 0, held: 0 });
    expect(q.queuedAt(3)).toBe(20);
    q.parsed({ offset: 6, resizes: 0, held: 0 });
    expect(q.queuedAt(5)).toBeUndefined();
  });

  it('[R1] keeps resizes in their position between bytes, and remembers the last one', () => {
    const q = queue();
    q.write(0, bytesOf('ab'), 0);
    q.resize({ cols: 10, rows: 5 });
    q.write(2, bytesOf('cd'), 0);
    q.resize({ cols: 20, rows: 6 });
    expect(q.pieces().map((piece) => `${piece.kind}@${piece.offset}`)).toEqual([
      'output@0',
      'resize@2',
      'output@2',
      'resize@4',
    ]);
    q.take();
    q.parsed({ offset: 3, resizes: 1, held: 0 });
    expect(q.size).toEqual({ cols: 10, rows: 5 });
    expect(q.pieces()).toMatchObject([{ offset: 3, bytes: bytesOf('d') }, { kind: 'resize' }]);
  });

  it('[R1] refuses a gap', () => {
    expect(() => queue().write(1, bytesOf('x'), 0)).toThrow('invariant');
  });
});

describe('what was parsed since a snapshot', () => {
  it('[X6] is full after few resizes with a byte after each, and after many without', () => {
    const untilFull = (bytes: Uint8Array) => {
      const since = new ParsedSince();
      let resizes = 0;
      for (; !since.isFull && resizes < 100_000; resizes++) {
        since.resized(resizes, { cols: 80, rows: 24 });
        since.parsed(resizes, bytes);
      }
      return resizes;
    };
    expect(untilFull(new Uint8Array(1))).toBeLessThan(100);
    expect(untilFull(new Uint8Array(0))).toBeLessThan(5_000);
  });
});

describe('smaller parts', () => {
  it('[R7] the high-water mark stays set until the queue is half empty', () => {
    const brim = new Watermark(10);
    const seen = [9, 10, 6, 5, 9, 12, 5].map((level) => {
      brim.set(level);
      return brim.isFull;
    });
    expect(seen).toEqual([false, true, true, false, false, true, false]);
  });

  it('[F27] the high-water mark stays set until there is as much room as is needed', () => {
    const brim = new Watermark(10);
    brim.room = 2;
    const seen = [9, 10, 9, 8].map((level) => {
      brim.set(level);
      return brim.isFull;
    });
    expect(seen).toEqual([false, true, true, false]);
  });

  it('[R7] the pace of parsing is known after some time, and follows the output', () => {
    const pace = new ParsePace();
    pace.parsed(50, 49);
    expect(pace.bytesIn(1000)).toBe(Number.POSITIVE_INFINITY);
    pace.parsed(50, 51);
    expect(pace.bytesIn(1000)).toBe(1000);
    for (let slice = 0; slice < 1000; slice++) pace.parsed(100_000, 4);
    expect(pace.bytesIn(1000)).toBeCloseTo(25_000_000, -3);
    for (let slice = 0; slice < 1000; slice++) pace.parsed(40, 5);
    expect(pace.bytesIn(1000)).toBeCloseTo(8000, -3);
  });

  it.each([
    ['short', 10, 0.2],
    ['without output, such as waking', 0, 500],
  ])('[R7] the pace of parsing is not measured by a slice that is %s', (_what, bytes, tookMs) => {
    const pace = new ParsePace();
    for (let slice = 0; slice < 1000; slice++) pace.parsed(bytes, tookMs);
    expect(pace.bytesIn(1000)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    { what: 'of text is as long as allowed', part: 'text ', bytes: 4096 },
    { what: 'of other letters too', part: '\u00e9\u00a0', bytes: 4096 },
    { what: 'of sequences has few of them', part: '\x1bc', bytes: 2 * STEP_MAX_SEQUENCES },
    { what: 'of C1 controls too', part: '\u009b2J', bytes: 4 * STEP_MAX_SEQUENCES },
  ])('[SEC8] [R7] a step $what', ({ part, bytes }) => {
    const output = bytesOf(part.repeat(4096));
    expect(endOfStep(output, 0, 4096)).toBe(bytes);
    expect(endOfStep(output, bytes, 4096)).toBe(2 * bytes);
    expect(endOfStep(output, output.length - 1, 4096)).toBe(output.length);
  });

  it('[R1] chunks deflated one by one inflate as one', () => {
    const deflate = new PiecewiseDeflate();
    const parts = Array.from({ length: 50 }, (_, n) => `${n} — ${'x'.repeat(n * 100)}\n`);
    for (const part of parts) deflate.add(part);
    const { deflated, bytes } = deflate.finish(bytesOf('tail'));
    const whole = inflateState(deflated);
    expect(new TextDecoder().decode(whole)).toBe(`${parts.join('')}tail`);
    expect(bytes).toBe(whole.length);
  });

  it('[R1] colours come from the theme, unless a program changed them', () => {
    const palette = new Palette({ background: '#102030', ansi: ['#010203'] });
    expect([palette.css(257), palette.css(0), palette.css(1), palette.css(16), palette.css(255)]).toEqual([
      '#102030',
      '#010203',
      '#cc0000',
      '#000000',
      '#eeeeee',
    ]);
    expect(palette.handle([{ type: 1, index: 257, color: [1, 2, 3] }])).toBe('');
    expect(palette.handle([{ type: 0, index: 257 }])).toBe('\x1b]11;rgb:0101/0202/0303\x1b\\');
    expect(palette.changes()).toBe('\x1b]11;rgb:0101/0202/0303\x1b\\');
    palette.handle([{ type: 2, index: 257 }]);
    expect(palette.changes()).toBe('');
  });

  it.each([
    { uri: 'file://demo/tmp/a%20b', path: '/tmp/a b' },
    { uri: 'file:///', path: '/' },
    { uri: 'http://demo/tmp', path: null },
    { uri: 'file://demo/%zz', path: null },
    { uri: 'file://demo/a%0ab', path: null },
    { uri: '/tmp', path: null },
  ])('[R1] the directory of $uri is $path', ({ uri, path }) => {
    expect(directoryOf(uri)).toBe(path);
  });
});
