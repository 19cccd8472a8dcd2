/** Frames on a socket: one system call each while it takes them, and in order when it does not. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
// A test that replaces a module of Node has a process of its own, as all have that use this one.
import 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { FrameSocket } from '../../../vm-agent/keeper/frame-socket.ts';
import { FrameReader } from '../../../vm-agent/keeper/wire.ts';
import { frameBytes } from './frame-bytes.ts';

/** The kernel's buffer of the socket. */
const kernel = vi.hoisted(() => ({ room: 0, calls: 0, bytes: [] as Buffer[] }));

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  writeSync: (_: number, bytes: Uint8Array, from: number, length: number) => {
    kernel.calls++;
    if (kernel.room === 0) throw new Error('EAGAIN');
    const count = Math.min(kernel.room, length);
    kernel.room -= count;
    kernel.bytes.push(Buffer.from(bytes.subarray(from, from + count)));
    return count;
  },
}));

/** A stream of Node that keeps what it is given. */
class FakeStream extends EventEmitter {
  destroyed = false;
  writableLength = 0;

  readonly #written: (() => void)[] = [];

  write(bytes: Uint8Array, written: () => void): boolean {
    kernel.bytes.push(Buffer.from(bytes));
    this.writableLength += bytes.length;
    this.#written.push(written);
    return false;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** The other end has read everything. */
  empties(): void {
    for (let written = this.#written.shift(); written !== undefined; written = this.#written.shift()) {
      this.writableLength = this.#written.length;
      written();
    }
  }
}

function open(room = Number.POSITIVE_INFINITY) {
  Object.assign(kernel, { room, calls: 0, bytes: [] });
  const heard: string[] = [];
  const stream = new FakeStream();
  const frames = new FrameSocket(5, stream as unknown as Socket, {
    received: ({ payload }) => heard.push(payload.toString()),
    drained: () => heard.push('(drained)'),
    broken: ({ message }) => heard.push(`(${message})`),
  });
  const send = (text: string) => frames.send({ kind: 'answer' }, Buffer.from(text));
  const sendLater = (text: string) => frames.sendLater({ kind: 'answer' }, Buffer.from(text));
  /** What has left, in order. */
  const sent = () =>
    [...new FrameReader().read(Buffer.concat(kernel.bytes))].map(({ payload }) =>
      payload.length > 20 ? payload.length : payload.toString(),
    );
  return { frames, stream, heard, send, sendLater, sent };
}

const LONG = 'x'.repeat(68 * 1024);

describe('frames on a socket', () => {
  it('are sent at once, each by one system call', () => {
    const { send, sent } = open();
    send('one');
    send('two');
    expect([sent(), kernel.calls]).toEqual([['one', 'two'], 2]);
  });

  it('[K1] go on in the stream if the socket takes a part of one, until that is empty', () => {
    const { send, sent, stream, heard } = open(30);
    for (const text of ['one', 'two', 'three']) send(text);
    expect(kernel.calls).toBe(2);
    kernel.room = 1000;
    send('four');
    expect([sent(), kernel.calls]).toEqual([['one', 'two', 'three', 'four'], 2]);
    stream.empties();
    send('five');
    expect([sent().at(-1), kernel.calls, heard]).toEqual(['five', 3, ['(drained)']]);
  });

  it('that nobody waits for go with the next one', () => {
    const { send, sendLater, sent } = open();
    sendLater('one');
    sendLater('two');
    expect(sent()).toEqual([]);
    send('three');
    expect([sent(), kernel.calls]).toEqual([['one', 'two', 'three'], 1]);
  });

  it('that nobody waits for follow output', () => {
    const { frames, send, sendLater, sent } = open();
    sendLater('one');
    sendLater('two');
    frames.send({ kind: 'output' }, Buffer.from('echo'));
    send('three');
    expect([sent(), kernel.calls]).toEqual([['echo', 'one', 'two', 'three'], 2]);
  });

  it('that nobody waits for go soon if none follows, also a second time', async () => {
    const { sendLater, sent } = open();
    sendLater('one');
    await expect.poll(sent).toEqual(['one']);
    sendLater('two');
    await expect.poll(sent).toEqual(['one', 'two']);
    expect(kernel.calls).toBe(2);
  });

  it('[K1] are sent in order, however long they are', () => {
    const { send, sendLater, sent } = open();
    sendLater('one');
    send(LONG);
    send('two');
    sendLater('three');
    sendLater(LONG.slice(0, 40_000));
    expect(sent()).toEqual(['one', LONG.length, 'two', 'three', 40_000]);
  });

  it('leave the array of the payload alone', () => {
    for (const length of [10, LONG.length]) {
      const { frames } = open(0);
      const payload = Buffer.alloc(length, 'x');
      frames.send({ kind: 'answer' }, payload);
      payload.fill('y');
      expect(Buffer.concat(kernel.bytes).subarray(20).equals(Buffer.alloc(length, 'x'))).toBe(true);
    }
  });

  it('[M1] of output wait in their log while the socket is full', () => {
    const { frames, stream } = open();
    expect(frames.isWritable).toBe(true);
    stream.writableLength = 1;
    expect(frames.isWritable).toBe(false);
  });

  it('go nowhere once the socket is closed', () => {
    const { send, sent, stream } = open();
    stream.destroyed = true;
    send('one');
    send(LONG);
    expect([sent(), kernel.calls]).toEqual([[], 0]);
  });

  it('[F26] are no longer read after something that is no frame', () => {
    const { frames, stream, heard } = open();
    const good = frameBytes({ kind: 'answer' }, Buffer.from('good'));
    frames.read(Buffer.concat([good, Buffer.alloc(4)]));
    expect([heard, stream.destroyed]).toEqual([['good', '(a frame of 4 bytes)'], true]);
  });

  it('survive an error of the socket, because the end of the process is told otherwise', () => {
    const { stream } = open();
    expect(stream.emit('error', new Error('EPIPE'))).toBe(true);
  });
});
