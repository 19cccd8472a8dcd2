/** The client's pure parts of a stream: what it shows, what it typed, what it acknowledges. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AckPacer } from '../../client/ack-pacer.ts';
import { type InputFrame, InputOutbox } from '../../client/outbox/input-outbox.ts';
import { OutputCursor } from '../../client/output-cursor.ts';
import {
  ACK_EVERY_BYTES,
  ACK_QUIET_MS,
  ACK_STEADY_MS,
  INPUT_WINDOW_BYTES,
  PAYLOAD_MAX_BYTES,
} from '../../protocol/limits.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { checkProperty } from '../support/property.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (frames: InputFrame[]) =>
  frames.map((frame) => [frame.offset, new TextDecoder().decode(frame.bytes)]);

describe('output cursor', () => {
  it.each([
    { name: 'shows what comes next', offset: 4, data: 'ef', expected: { kind: 'show', bytes: bytes('ef') } },
    {
      name: 'drops the part it has',
      offset: 2,
      data: 'cdef',
      expected: { kind: 'show', bytes: bytes('ef') },
    },
    { name: 'drops what it has completely', offset: 1, data: 'bcd', expected: { kind: 'known' } },
    {
      name: 'shows nothing across a gap',
      offset: 6,
      data: 'gh',
      expected: { kind: 'hole', missingBytes: 2 },
    },
  ])('[OU2] $name', ({ offset, data, expected }) => {
    expect(new OutputCursor(4).accept(offset, bytes(data))).toEqual(expected);
  });

  it('[OU2] shows every byte exactly once, however chunks are split, repeated and delayed', () => {
    checkProperty(
      'output-cursor',
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
  it('[IN1] numbers typed input by its offset, and sends it once', () => {
    const outbox = new InputOutbox();
    outbox.type(bytes('ls'));
    expect(text(outbox.take())).toEqual([[0, 'ls']]);
    outbox.type(bytes('\n'));
    expect(text(outbox.take())).toEqual([[2, '\n']]);
    expect(outbox.take()).toEqual([]);
    expect(outbox.pendingBytes).toBe(3);
  });

  it('[IN1] splits a paste into frames of the allowed size', () => {
    const outbox = new InputOutbox();
    outbox.type(new Uint8Array(PAYLOAD_MAX_BYTES * 2 + 1));
    expect(outbox.take().map(({ offset, bytes: piece }) => [offset, piece.length])).toEqual([
      [0, PAYLOAD_MAX_BYTES],
      [PAYLOAD_MAX_BYTES, PAYLOAD_MAX_BYTES],
      [2 * PAYLOAD_MAX_BYTES, 1],
    ]);
  });

  it('[IN6] sends no more than a window ahead of acknowledgements', () => {
    const outbox = new InputOutbox();
    outbox.type(new Uint8Array(3 * INPUT_WINDOW_BYTES));
    const sent = () => outbox.take().reduce((sum, { bytes: piece }) => sum + piece.length, 0);
    expect(sent()).toBe(INPUT_WINDOW_BYTES);
    expect(sent()).toBe(0);
    outbox.acknowledge(1000);
    expect(sent()).toBe(1000);
    expect(outbox.waitingBytes).toBe(2 * INPUT_WINDOW_BYTES - 1000);
  });

  it('[IN4] sends again exactly what the agent has not taken', () => {
    const outbox = new InputOutbox();
    outbox.type(bytes('one '));
    outbox.type(bytes('two '));
    outbox.take();
    outbox.acknowledge(2);
    outbox.resume(6);
    expect(text(outbox.take())).toEqual([[6, 'o ']]);
    expect(outbox.pendingBytes).toBe(2);
  });

  it('[IN7] discards only what was never sent', () => {
    const outbox = new InputOutbox();
    outbox.type(bytes('sent '));
    outbox.take();
    outbox.type(bytes('typed '));
    outbox.type(bytes('at a dead screen'));
    expect(outbox.discardWaiting()).toBe(22);
    outbox.resume(2);
    expect(text(outbox.take())).toEqual([[2, 'nt ']]);
    outbox.type(bytes('new'));
    expect(text(outbox.take())).toEqual([[5, 'new']]);
  });

  it('[IN4] forgets everything for another life of the agent, and reports how much that was', () => {
    const outbox = new InputOutbox();
    outbox.type(bytes('rm -rf build\n'));
    outbox.take();
    outbox.acknowledge(3);
    expect(outbox.discard()).toBe(10);
    outbox.resume(0);
    expect(outbox.take()).toEqual([]);
    outbox.type(bytes('x'));
    expect(text(outbox.take())).toEqual([[0, 'x']]);
  });

  it('[IN4] [IN7] for any losses, resends and discards, the agent receives what was typed and kept, once', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('type' as const), data: fc.uint8Array({ maxLength: 5 }) }),
      fc.record({
        kind: fc.constantFrom(
          'send' as const,
          'deliver' as const,
          'reconnect' as const,
          'acknowledge' as const,
          'discard' as const,
        ),
      }),
    );
    checkProperty(
      'input-outbox',
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const outbox = new InputOutbox();
        let kept: number[] = [];
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
            kept.push(...current.data);
            outbox.type(current.data);
          } else if (current.kind === 'send') wire.push(...outbox.take());
          else if (current.kind === 'deliver') deliver();
          else if (current.kind === 'reconnect') {
            wire = [];
            outbox.resume(applied.length);
          } else if (current.kind === 'acknowledge') outbox.acknowledge(applied.length);
          else kept = kept.slice(0, kept.length - outbox.discardWaiting());
        }
        outbox.resume(applied.length);
        wire = outbox.take();
        deliver();
        outbox.acknowledge(applied.length);
        expect(applied).toEqual(kept);
        expect(outbox.pendingBytes).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('ack pacer', () => {
  function pacer() {
    const clock = new FakeClock();
    const told: number[] = [];
    return { clock, told, pacer: new AckPacer(clock, (offset) => told.push(offset)) };
  }

  it('[OU4] acknowledges at once if the agent requests it', () => {
    const { clock, told, pacer: it } = pacer();
    it.shown(10, false);
    it.shown(20, true);
    expect(told).toEqual([20]);
    expect(clock.pending).toBe(0);
  });

  it('[OU4] acknowledges after a quiet moment', () => {
    const { clock, told, pacer: it } = pacer();
    it.shown(10, false);
    clock.advance(ACK_QUIET_MS - 1);
    it.shown(20, false);
    clock.advance(ACK_QUIET_MS - 1);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual([20]);
    clock.advance(10_000);
    expect(told).toEqual([20]);
  });

  it('[OU4] acknowledges during a flood', () => {
    const { told, pacer: it } = pacer();
    it.shown(ACK_EVERY_BYTES - 1, false);
    it.shown(ACK_EVERY_BYTES, false);
    it.shown(ACK_EVERY_BYTES + 5, false);
    expect(told).toEqual([ACK_EVERY_BYTES]);
  });

  it('[OU4] acknowledges steady output in time, however slowly it arrives', () => {
    const { clock, told, pacer: it } = pacer();
    for (let shown = 10; clock.now() < 2.5 * ACK_STEADY_MS; shown += 10) {
      it.shown(shown, false);
      clock.advance(ACK_QUIET_MS - 1);
    }
    // Every half second, counted from the oldest byte that was not acknowledged.
    expect(told).toEqual([120, 240]);
  });

  it('[OU4] leaves no timer behind', () => {
    const { clock, pacer: it } = pacer();
    it.shown(1, false);
    it.stop();
    expect(clock.pending).toBe(0);
  });
});
