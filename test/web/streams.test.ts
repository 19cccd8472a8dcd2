/** The client's pure halves of a stream: what it shows, what it typed, what it acknowledges. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACK_EVERY_BYTES, ACK_QUIET_MS, PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { AckPacer } from '../../web/client/ack-pacer.ts';
import { type InputFrame, InputOutbox } from '../../web/client/input-outbox.ts';
import { OutputCursor } from '../../web/client/output-cursor.ts';
import { FakeClock } from '../support/fake-clock.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (frames: InputFrame[]) =>
  frames.map((frame) => [frame.offset, new TextDecoder().decode(frame.bytes)]);

describe('output cursor', () => {
  it.each([
    { name: 'shows what comes next', offset: 4, data: 'ef', expected: { kind: 'show', bytes: bytes('ef') } },
    {
      name: 'cuts off what it knows',
      offset: 2,
      data: 'cdef',
      expected: { kind: 'show', bytes: bytes('ef') },
    },
    { name: 'drops what it knows wholly', offset: 1, data: 'bcd', expected: { kind: 'known' } },
    {
      name: 'shows nothing across a hole',
      offset: 6,
      data: 'gh',
      expected: { kind: 'hole', missingBytes: 2 },
    },
  ])('[OU2] $name', ({ offset, data, expected }) => {
    expect(new OutputCursor(4).accept(offset, bytes(data))).toEqual(expected);
  });

  it('[OU2] shows every byte exactly once, however pieces are cut, repeated and delayed', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
        fc.array(fc.tuple(fc.nat(60), fc.nat(20)), { maxLength: 40 }),
        (stream, pieces) => {
          const cursor = new OutputCursor();
          const shown: number[] = [];
          for (const [from, length] of [...pieces, [0, 60] as const]) {
            const judgement = cursor.accept(from, new Uint8Array(stream.subarray(from, from + length)));
            if (judgement.kind === 'show') shown.push(...judgement.bytes);
          }
          expect(shown).toEqual([...stream]);
        },
      ),
    );
  });
});

describe('input outbox', () => {
  it('[IN1] numbers what is typed by its offset', () => {
    const outbox = new InputOutbox();
    expect(text(outbox.type(bytes('ls')))).toEqual([[0, 'ls']]);
    expect(text(outbox.type(bytes('\n')))).toEqual([[2, '\n']]);
    expect(outbox.pendingBytes).toBe(3);
  });

  it('[IN1] cuts a paste into frames of the allowed size', () => {
    const frames = new InputOutbox().type(new Uint8Array(PAYLOAD_MAX_BYTES * 2 + 1));
    expect(frames.map(({ offset, bytes: piece }) => [offset, piece.length])).toEqual([
      [0, PAYLOAD_MAX_BYTES],
      [PAYLOAD_MAX_BYTES, PAYLOAD_MAX_BYTES],
      [2 * PAYLOAD_MAX_BYTES, 1],
    ]);
  });

  it('[IN4] sends again exactly what the agent has not taken', () => {
    const outbox = new InputOutbox();
    outbox.type(bytes('one '));
    outbox.type(bytes('two '));
    outbox.acknowledge(2);
    expect(text(outbox.resume(6))).toEqual([[6, 'o ']]);
    expect(outbox.pendingBytes).toBe(2);
  });

  it('[IN4] forgets everything for another life of the agent, and says how much that was', () => {
    const outbox = new InputOutbox();
    outbox.type(bytes('rm -rf build\n'));
    outbox.acknowledge(3);
    expect(outbox.discard()).toBe(10);
    expect(outbox.resume(0)).toEqual([]);
    expect(text(outbox.type(bytes('x')))).toEqual([[0, 'x']]);
  });

  it('[IN4] whatever is acknowledged and resent, the agent ends up with what was typed, once', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('type' as const), data: fc.uint8Array({ maxLength: 5 }) }),
      fc.record({ kind: fc.constant('deliver' as const) }),
      fc.record({ kind: fc.constant('reconnect' as const) }),
      fc.record({ kind: fc.constant('acknowledge' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const outbox = new InputOutbox();
        const typed: number[] = [];
        const applied: number[] = [];
        let wire: InputFrame[] = [];
        const deliver = () => {
          for (const { offset, bytes: piece } of wire) {
            if (offset <= applied.length) applied.push(...piece.subarray(applied.length - offset));
          }
          wire = [];
        };
        for (const current of steps) {
          if (current.kind === 'type') {
            typed.push(...current.data);
            wire.push(...outbox.type(current.data));
          } else if (current.kind === 'deliver') deliver();
          else if (current.kind === 'reconnect') wire = outbox.resume(applied.length);
          else outbox.acknowledge(applied.length);
        }
        wire = outbox.resume(applied.length);
        deliver();
        outbox.acknowledge(applied.length);
        expect(applied).toEqual(typed);
        expect(outbox.pendingBytes).toBe(0);
      }),
    );
  });
});

describe('ack pacer', () => {
  function pacer() {
    const clock = new FakeClock();
    const told: number[] = [];
    return { clock, told, pacer: new AckPacer(clock, (offset) => told.push(offset)) };
  }

  it('[OU4] acknowledges once it has been quiet for a moment', () => {
    const { clock, told, pacer: it } = pacer();
    it.shown(10);
    clock.advance(ACK_QUIET_MS - 1);
    it.shown(20);
    clock.advance(ACK_QUIET_MS - 1);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual([20]);
    clock.advance(10_000);
    expect(told).toEqual([20]);
  });

  it('[OU4] acknowledges in the middle of a flood', () => {
    const { told, pacer: it } = pacer();
    it.shown(ACK_EVERY_BYTES - 1);
    it.shown(ACK_EVERY_BYTES);
    it.shown(ACK_EVERY_BYTES + 5);
    expect(told).toEqual([ACK_EVERY_BYTES]);
  });

  it('[OU4] leaves no timer behind', () => {
    const { clock, pacer: it } = pacer();
    it.shown(1);
    it.stop();
    expect(clock.pending).toBe(0);
  });
});
