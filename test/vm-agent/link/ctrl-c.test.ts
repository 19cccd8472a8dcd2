/** Ctrl-C reaches a program although nothing else does. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import { OPERATOR, world } from './shared-machine.ts';

describe('Ctrl-C', () => {
  it('[IN10] [X6] is not refused when the program reads nothing and every queue is full', () => {
    const made = world();
    const [pty] = made.spawner.ptys;
    if (pty === undefined) throw new Error('no program');
    pty.reads = false;
    const type = (offset: number, bytes: Uint8Array) =>
      made.agent.received(
        encodeFrame({ kind: 'input', channel: OPERATOR, handle: made.handle, offset }, bytes),
      );
    const piece = Buffer.alloc(64 * 1024, 'p');
    let offset = 3;
    for (let i = 0; i < 16; i++, offset += piece.length) type(offset, piece);
    type(offset, Buffer.from('x'));
    expect(made.refusals()).toEqual(['input_backlog']);
    for (let i = 0; i < 4_096; i++) type(offset + i, Buffer.from('\x03'));
    expect(made.refusals()).toEqual(['input_backlog']);
    type(offset + 4_096, Buffer.from('\x03'));
    expect(made.refusals()).toEqual(['input_backlog', 'input_backlog']);
  });
});
