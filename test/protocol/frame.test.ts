import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../protocol/errors.ts';
import {
  CHANNEL_ALL,
  decodeFrame,
  decodeHeader,
  decodeSize,
  encodeFrame,
  encodeSize,
  type FrameKind,
  HEADER_BYTES,
  KINDS,
  stampChannel,
} from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { checkProperty } from '../support/property.ts';

const U32_MAX = 0xffff_ffff;
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const text = (value: string) => new TextEncoder().encode(value);

/** The format: kind flags reserved · channel · handle · offset · payload. Changing a row breaks old peers. */
const GOLDEN = [
  {
    frame: { kind: 'output', channel: CHANNEL_ALL, handle: 1, offset: 0, payload: text('hi') },
    wire: '01 00 0000  00000000  00000001  0000000000000000  6869',
  },
  {
    frame: { kind: 'output', channel: 7, handle: 258, offset: 65_536, payload: text('é') },
    wire: '01 00 0000  00000007  00000102  0000000000010000  c3a9',
  },
  {
    frame: { kind: 'output', channel: 0, handle: 1, offset: 3, wantsAck: true, payload: text('!') },
    wire: '01 01 0000  00000000  00000001  0000000000000003  21',
  },
  {
    frame: { kind: 'input', channel: 0x01020304, handle: 0x05060708, offset: 0x090a0b, payload: text('\r') },
    wire: '02 00 0000  01020304  05060708  0000000000090a0b  0d',
  },
  {
    frame: {
      kind: 'resize',
      channel: 0,
      handle: 3,
      offset: 2 ** 32,
      payload: encodeSize({ cols: 80, rows: 24 }),
    },
    wire: '03 00 0000  00000000  00000003  0000000100000000  00500018',
  },
  {
    frame: {
      kind: 'snapshot',
      channel: U32_MAX,
      handle: U32_MAX,
      offset: 2 ** 32 - 1,
      payload: bytes('00 ff'),
    },
    wire: '04 00 0000  ffffffff  ffffffff  00000000ffffffff  00ff',
  },
  {
    frame: { kind: 'ack', channel: 0, handle: 0, offset: Number.MAX_SAFE_INTEGER, payload: bytes('') },
    wire: '05 00 0000  00000000  00000000  001fffffffffffff',
  },
] as const;

describe('the layout of a frame', () => {
  it.each(GOLDEN)('[WF1] $frame.kind at $frame.offset is $wire', ({ frame, wire }) => {
    expect(encodeFrame(frame, frame.payload)).toEqual(bytes(wire));
    expect(decodeFrame(bytes(wire))).toEqual(frame);
  });

  it('[WF1] a frame without payload is only its header', () => {
    expect(HEADER_BYTES).toBe(20);
    expect(encodeFrame({ kind: 'ack', channel: 0, handle: 1, offset: 2 })).toHaveLength(20);
  });

  it.each([0, 1, 19])('[WF1] refuses %i bytes, which are no header', (length) => {
    expect(() => decodeHeader(new Uint8Array(length))).toThrow(
      new ProtocolError(`a frame of ${length} bytes has no header`),
    );
  });

  it('[WF1] reads a frame inside a larger buffer', () => {
    const [{ frame, wire }] = GOLDEN;
    const larger = bytes(`ffff ${wire} ffff`);
    expect(decodeFrame(larger.subarray(2, -2))).toEqual(frame);
  });

  it('[WF1] exposes the payload in place, without a copy', () => {
    const wire = bytes(GOLDEN[0].wire);
    expect(decodeFrame(wire).payload.buffer).toBe(wire.buffer);
  });

  it.each([
    { name: 'an unknown flag', wire: '01 02 0000' },
    { name: 'the flag of output frames on another kind', wire: '02 01 0000' },
    { name: 'the high reserved byte', wire: '01 00 0100' },
    { name: 'the low reserved byte', wire: '01 00 0001' },
  ])('[WF1] refuses a frame with $name set', ({ wire }) => {
    expect(() => decodeHeader(bytes(wire.padEnd(2 * HEADER_BYTES + 2, '0')))).toThrow(
      new ProtocolError('unknown flags and reserved bits must be zero'),
    );
  });
});

describe('kinds', () => {
  it('[WF2] each have a number that is never reused', () => {
    expect(KINDS).toEqual({ output: 1, input: 2, resize: 3, snapshot: 4, ack: 5 });
  });

  it.each([0, 6, 127, 255])('[WF2] refuses kind %i', (number) => {
    const wire = new Uint8Array(HEADER_BYTES);
    wire[0] = number;
    expect(() => decodeHeader(wire)).toThrow(new ProtocolError(`no frame kind has the number ${number}`));
  });
});

describe('the channel', () => {
  it('[WF3] is set by the relay, whatever the sender wrote', () => {
    const wire = encodeFrame({ kind: 'input', channel: 666, handle: 5, offset: 9 }, text('ls'));
    stampChannel(wire, U32_MAX);
    expect(decodeFrame(wire)).toEqual({
      kind: 'input',
      channel: U32_MAX,
      handle: 5,
      offset: 9,
      payload: text('ls'),
    });
  });

  it('[WF3] is set inside a larger buffer without changing other bytes', () => {
    const larger = new Uint8Array(HEADER_BYTES + 8).fill(0xee);
    stampChannel(larger.subarray(4, -4), 0);
    expect([...larger]).toEqual([...Array(8).fill(0xee), 0, 0, 0, 0, ...Array(16).fill(0xee)]);
  });
});

describe('offsets', () => {
  it.each(['0020000000000000', '0020000000000001', 'ffffffffffffffff'])('[WF4] refuses %s', (offset) => {
    const wire = bytes(`01 00 0000 00000000 00000000 ${offset}`);
    expect(() => decodeHeader(wire)).toThrow(new ProtocolError('an offset beyond 2^53'));
  });
});

describe('payloads', () => {
  it('[WF5] may have 64 KiB and not one byte more', () => {
    expect(PAYLOAD_MAX_BYTES).toBe(65_536);
    const header = { kind: 'output', channel: 0, handle: 1, offset: 0 } as const;
    const full = encodeFrame(header, new Uint8Array(PAYLOAD_MAX_BYTES));
    expect(decodeFrame(full).payload).toHaveLength(PAYLOAD_MAX_BYTES);
    const over = encodeFrame(header, new Uint8Array(PAYLOAD_MAX_BYTES + 1));
    expect(() => decodeFrame(over)).toThrow(new ProtocolError('a payload of 65537 bytes; 65536 are allowed'));
  });

  it.each([0, 3, 5])('[WF2] refuses a size of %i bytes', (length) => {
    expect(() => decodeSize(new Uint8Array(length))).toThrow(new ProtocolError(`a size of ${length} bytes`));
  });

  it('[WF2] encodes a size as columns, then rows', () => {
    expect(encodeSize({ cols: 258, rows: 3 })).toEqual(bytes('0102 0003'));
    expect(decodeSize(bytes('0102 0003'))).toEqual({ cols: 258, rows: 3 });
    expect(decodeSize(bytes('ff 0102 0003 ff').subarray(1, -1))).toEqual({ cols: 258, rows: 3 });
  });
});

describe('invalid payloads', () => {
  it.each(['0000 0018', '0050 0000', '03e9 0018'])('[WF2] refuses the size %s', (size) => {
    expect(() => decodeSize(bytes(size))).toThrow(/^a size of \d+ by \d+ cells$/);
  });

  it('[WF2] refuses an ack with a payload', () => {
    const frame = encodeFrame({ kind: 'ack', channel: 0, handle: 1, offset: 0 }, bytes('00'));
    expect(() => decodeFrame(frame)).toThrow(new ProtocolError('an ack with a payload'));
  });
});

describe('any frame', () => {
  const kind = fc.constantFrom(...(Object.keys(KINDS) as FrameKind[]));
  const u32 = fc.integer({ min: 0, max: U32_MAX });
  const payload = fc.uint8Array({ maxLength: 64 }).map((array) => Uint8Array.from(array));

  it('[WF1] [WF4] is the same after encoding and decoding', () => {
    const frame = fc.record({ kind, channel: u32, handle: u32, offset: fc.maxSafeNat(), payload });
    checkProperty(
      'frame-journey',
      fc.property(frame, (any) => {
        const sent = any.kind === 'ack' ? { ...any, payload: new Uint8Array(0) } : any;
        expect(decodeFrame(encodeFrame(sent, sent.payload))).toEqual(sent);
      }),
    );
  });

  it('[WF1] is either decoded and encoded back to the same bytes, or refused with a ProtocolError', () => {
    let read = 0;
    // Kinds and zeroes are made likely: of bytes wholly at random almost none would be a frame.
    const byte = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(255) });
    const wire = fc.tuple(fc.nat(6), fc.array(byte, { minLength: 15, maxLength: 30 }));
    checkProperty(
      'frame-bytes',
      fc.property(wire, ([first, rest]) => {
        const sent = Uint8Array.of(first, ...rest);
        try {
          const frame = decodeFrame(sent);
          read++;
          expect(encodeFrame(frame, frame.payload)).toEqual(sent);
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error;
        }
      }),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});
