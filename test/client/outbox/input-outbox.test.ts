/** The queue of typed input, byte by byte. */
import { describe, expect, it } from 'vitest';
import { InputOutbox } from '../../../client/outbox/input-outbox.ts';
import { bytes, text } from '../typist.ts';

describe('the outbox', () => {
  it('accepts acknowledgements and discards at any byte', () => {
    const outbox = new InputOutbox();
    for (const word of ['abc', 'def', 'ghi']) outbox.type(bytes(word));
    outbox.type(bytes(''));
    expect(outbox.take().map(({ offset, bytes: found }) => `${offset}:${text(found)}`)).toEqual([
      '0:abc',
      '3:def',
      '6:ghi',
    ]);
    expect(outbox.take()).toEqual([]);
    outbox.acknowledge(4);
    outbox.acknowledge(4);
    outbox.acknowledge(2);
    expect([text(outbox.pending()), outbox.acknowledged, outbox.waitingBytes]).toEqual(['efghi', 4, 0]);
    outbox.type(bytes('jkl'));
    outbox.type(bytes('mno'));
    expect(outbox.waitingBytes).toBe(6);
    expect(outbox.discardWaiting()).toBe(6);
    expect([text(outbox.pending()), outbox.discardWaiting()]).toEqual(['efghi', 0]);
    outbox.acknowledge(99);
    expect([outbox.acknowledged, outbox.pendingBytes]).toEqual([9, 0]);
  });

  it('does not discard what was sent on an earlier link only', () => {
    const outbox = new InputOutbox();
    outbox.type(bytes('abcdef'));
    outbox.take();
    outbox.resume(2);
    expect([outbox.waitingBytes, outbox.discardWaiting(), text(outbox.pending())]).toEqual([0, 0, 'cdef']);
  });
});
