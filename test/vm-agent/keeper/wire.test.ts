import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  FrameReader,
  KEEPER_FRAME_MAX_BYTES,
  KEEPER_KINDS,
  type KeeperFrame,
  named,
  readNamed,
  WireError,
} from '../../../vm-agent/keeper/wire.ts';
import { checkProperty } from '../../support/property.ts';
import { frameBytes } from './frame-bytes.ts';

function encode(frame: KeeperFrame): Buffer {
  return frameBytes(frame, frame.payload);
}

/** Payloads are copied, because they are valid until the next one only. The piece is used again. */
function* framesIn(reader: FrameReader, piece: Buffer): Generator<KeeperFrame> {
  for (const frame of reader.read(piece)) yield { ...frame, payload: Buffer.from(frame.payload) };
  piece.fill(0);
}

function readAll(reader: FrameReader, pieces: readonly Buffer[]): KeeperFrame[] {
  return pieces.flatMap((piece) => [...framesIn(reader, Buffer.from(piece))]);
}

const EMPTY = Buffer.alloc(0);

describe('frames between keeper and agent', () => {
  it.each<[string, KeeperFrame, string]>([
    [
      'control',
      { kind: 'control', handle: 0, offset: 0, flag: false, payload: Buffer.from('{}') },
      '12000000 00 00 0000 00000000 0000000000000000 7b7d',
    ],
    [
      'output that empties the terminal',
      { kind: 'output', handle: 0x01020304, offset: 2 ** 32 + 5, flag: true, payload: Buffer.from('hi') },
      '12000000 01 01 0000 04030201 0500000001000000 6869',
    ],
    [
      'taken input of an earlier agent',
      { kind: 'taken', handle: 1, offset: 9, flag: true, payload: named('me', EMPTY) },
      '14000000 02 01 0000 01000000 0900000000000000 02006d65',
    ],
    [
      'input',
      { kind: 'input', handle: 1, offset: 0, flag: false, payload: named('é', Buffer.from('x')) },
      '15000000 03 00 0000 01000000 0000000000000000 0200c3a978',
    ],
    [
      'an answer',
      { kind: 'answer', handle: 2 ** 32 - 1, offset: 0, flag: false, payload: Buffer.from('\x1b') },
      '11000000 04 00 0000 ffffffff 0000000000000000 1b',
    ],
    [
      'credit at the highest offset',
      { kind: 'credit', handle: 1, offset: Number.MAX_SAFE_INTEGER, flag: false, payload: EMPTY },
      '10000000 05 00 0000 01000000 ffffffffffff1f00',
    ],
    [
      'a blob',
      { kind: 'blob', handle: 1, offset: 0, flag: false, payload: named('a', Buffer.from([0, 255])) },
      '15000000 06 00 0000 01000000 0000000000000000 01006100ff',
    ],
  ])('[K4] have these bytes: %s', (_, frame, hex) => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    expect(encode(frame).toString('hex')).toBe(bytes.toString('hex'));
    expect(readAll(new FrameReader(), [bytes])).toEqual([frame]);
  });

  it('[K1] are the same however the stream is cut', () => {
    const frame = fc.record({
      kind: fc.constantFrom(...KEEPER_KINDS),
      handle: fc.nat({ max: 2 ** 32 - 1 }),
      offset: fc.maxSafeNat(),
      flag: fc.boolean(),
      payload: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    });
    checkProperty(
      'keeper-wire',
      fc.property(fc.array(frame), fc.array(fc.nat({ max: 60 }), { minLength: 1 }), (frames, lengths) => {
        const stream = Buffer.concat(frames.map(encode));
        const pieces: Buffer[] = [];
        for (let at = 0, n = 0; at < stream.length; n++) {
          const next = at + (lengths[n % lengths.length] as number) + (n % lengths.length === 0 ? 1 : 0);
          pieces.push(stream.subarray(at, next));
          at = next;
        }
        const read = readAll(new FrameReader(), pieces);
        expect(read.length).toBe(frames.length);
        expect(Buffer.concat(read.map(encode)).equals(stream)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('may be as long as the limit, and no longer', () => {
    const longest = { kind: 'blob' as const, handle: 0, offset: 0, flag: false };
    const payload = Buffer.alloc(KEEPER_FRAME_MAX_BYTES - 20);
    const [frame] = readAll(new FrameReader(), [frameBytes(longest, payload)]);
    expect(frame?.payload.length).toBe(payload.length);
    const beyond = frameBytes(longest, EMPTY);
    beyond.writeUInt32LE(KEEPER_FRAME_MAX_BYTES - 4 + 1, 0);
    expect(() => readAll(new FrameReader(), [beyond])).toThrow(WireError);
  });

  it.each([
    ['a length that has no room for a header', '0f000000 00 00 0000 00000000 0000000000000000'],
    ['an unknown kind', '10000000 07 00 0000 00000000 0000000000000000'],
  ])('are refused with %s', (_, hex) => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    expect(() => readAll(new FrameReader(), [bytes])).toThrow(WireError);
  });

  it('[M1] have their place at once if they are long, not a new one for each piece', () => {
    const payload = Buffer.alloc(1_000_000, 7);
    const stream = encode({ kind: 'blob', handle: 1, offset: 0, flag: false, payload });
    const reader = new FrameReader();
    const pieces = Array.from({ length: 1001 }, (_, n) => stream.subarray(n * 1000, (n + 1) * 1000));
    const allocations = vi.spyOn(Buffer, 'allocUnsafe');
    const [frame] = readAll(reader, pieces);
    const times = allocations.mock.calls.length;
    allocations.mockRestore();
    expect(frame?.payload.equals(payload)).toBe(true);
    expect(times).toBe(2);
  });
});

describe('a payload with a name', () => {
  it.each(['0300 6162', '00', ''])('is refused if the name is longer than it: %s', (hex) => {
    expect(() => readNamed(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toThrow(WireError);
  });

  it('may be nothing but the name', () => {
    const { name, bytes } = readNamed(named('instance', EMPTY));
    expect([name, bytes.length]).toEqual(['instance', 0]);
  });
});
