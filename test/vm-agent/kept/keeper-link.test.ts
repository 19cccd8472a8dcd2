/** The agent's side of its connection to the keeper. */
import { describe, expect, it } from 'vitest';
import type { ToAgent } from '../../../vm-agent/keeper/messages.ts';
import { FrameReader, type Kind, named, readNamed, WireError } from '../../../vm-agent/keeper/wire.ts';
import { type FoundSession, KeeperLink } from '../../../vm-agent/kept/keeper-link.ts';
import type { PtyEvents } from '../../../vm-agent/pty/pty.ts';
import { frameBytes } from '../keeper/frame-bytes.ts';

const spec = { command: '/bin/sh', args: [], cwd: '/', env: {}, size: { cols: 80, rows: 24 } };
const session = (handle: number, changes: object = {}) => ({
  ...{ type: 'session' as const, handle, id: `id ${handle}`, pid: 2 ** 22 + handle, bornAt: undefined, spec },
  ...{ start: 0, end: 0, ledger: [], blobs: 0, ...changes },
});

function open() {
  const sent: string[] = [];
  const reader = new FrameReader();
  const link = new KeeperLink({
    send: (header, payload) => {
      for (const frame of reader.read(frameBytes(header, payload))) {
        const { kind, handle, offset } = frame;
        if (kind === 'control') sent.push(frame.payload.toString());
        else if (kind === 'blob' || kind === 'input') {
          const { name, bytes } = readNamed(frame.payload);
          sent.push(`${kind} ${handle} ${offset} ${name} ${bytes}`);
        } else sent.push(`${kind} ${handle} ${offset} ${frame.payload}`);
      }
    },
    flushed: async () => {},
    stop: () => sent.push('(stops)'),
    leave: () => sent.push('(leaves)'),
  });
  const frame = (kind: Kind, handle: number, offset: number, payload: Uint8Array, flag = false) => {
    const bytes = frameBytes({ kind, handle, offset, flag }, payload);
    for (const one of new FrameReader().read(bytes)) link.received(one);
    bytes.fill(0);
  };
  const tell = (message: ToAgent | { type: string }) =>
    frame('control', 0, 0, Buffer.from(JSON.stringify(message)));
  const hello = (sessions: number, trouble: string | null = null) =>
    tell({ type: 'hello', version: 1, epoch: 'epoch', pid: 1, sessions, trouble });
  return { link, sent, frame, tell, hello };
}

function listener() {
  const heard: string[] = [];
  const events: PtyEvents = {
    output: (bytes, isAll) => heard.push(`${Buffer.from(bytes)}${isAll ? '.' : '…'}`),
    resized: ({ cols }) => heard.push(`${cols} columns`),
    tookEarlier: (instance, count) => heard.push(`took ${count} of ${instance} earlier`),
    exited: ({ code, signal }) => heard.push(`exit ${code ?? signal}`),
  };
  return { heard, events };
}

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise(setImmediate);
  return settled;
}

describe('a new agent', () => {
  it('[K2] finds the epoch, and nothing if nothing was kept', async () => {
    const { link, hello } = open();
    hello(0, 'It crashed.');
    expect(await link.found).toEqual({
      epoch: 'epoch',
      sessions: [],
      trouble: 'It crashed.',
      capabilities: [],
    });
  });

  it('[K1] waits for all sessions and all their blobs', async () => {
    const { link, hello, tell, frame } = open();
    hello(2);
    tell(session(1, { blobs: 2 }));
    frame('blob', 1, 0, named('metadata', Buffer.from('one')));
    tell(session(2));
    expect(await isSettled(link.found)).toBe(false);
    frame('blob', 1, 0, named('checkpoint', Buffer.from('two')));
    const { sessions } = await link.found;
    expect(sessions.map(({ id }) => id)).toEqual(['id 1', 'id 2']);
    const left = [...(sessions[0]?.blobs ?? [])].map(([name, bytes]) => `${name} ${bytes}`);
    expect(left).toEqual(['metadata one', 'checkpoint two']);
  });

  it('[K2] is ready once all output that was kept has been passed on', async () => {
    const { link, sent, hello, tell, frame } = open();
    hello(2);
    tell(session(1, { start: 10, end: 14 }));
    tell(session(2, { start: 3, end: 3 }));
    const [first, second] = (await link.found).sessions as [FoundSession, FoundSession];
    const { heard, events } = listener();
    link.adopt(first, events);
    link.adopt(second, listener().events);
    const ready = link.catchUp();
    frame('output', 1, 10, Buffer.from('abc'));
    expect(await isSettled(ready)).toBe(false);
    frame('output', 1, 13, Buffer.from('d'), true);
    await ready;
    expect(heard).toEqual(['abc…', 'd.']);
    expect(sent.at(-1)).toBe('{"type":"ready"}');
  });

  it('[K1] passes output on as bytes whose copies outlive the next frame', () => {
    const { link, frame, hello } = open();
    hello(0);
    const copies: Uint8Array[] = [];
    const events = { output: (bytes: Uint8Array) => void copies.push(bytes.slice()), exited() {} };
    link.spawn(spec, events, { id: 'id', handle: 5, historyBytes: 10 });
    frame('output', 5, 0, Buffer.from('one'));
    frame('output', 5, 3, Buffer.from('two'));
    expect(copies.map((copy) => Buffer.from(copy).toString())).toEqual(['one', 'two']);
    expect(copies.map(({ buffer }) => buffer.byteLength)).toEqual([3, 3]);
  });

  it('[K2] is ready although the last output was held for a while', async () => {
    const { link, hello, tell, frame } = open();
    hello(1);
    tell(session(1, { end: 3 }));
    const [found] = (await link.found).sessions as [FoundSession];
    const program = link.adopt(found, listener().events);
    const ready = link.catchUp();
    program.pause();
    frame('output', 1, 0, Buffer.from('abc'));
    expect(await isSettled(ready)).toBe(false);
    program.resume();
    await ready;
  });

  it('[K2] is ready although a session was removed meanwhile, or belongs to nobody', async () => {
    const { link, sent, hello, tell } = open();
    hello(2);
    tell(session(1, { end: 3 }));
    tell(session(2, { end: 3 }));
    const [first, second] = (await link.found).sessions as [FoundSession, FoundSession];
    link.discard(first);
    expect(sent).toEqual(['{"type":"forget","handle":1}']);
    const program = link.adopt(second, listener().events);
    const ready = link.catchUp();
    expect(await isSettled(ready)).toBe(false);
    program.forget();
    await ready;
    expect(sent.slice(-2)).toEqual(['{"type":"forget","handle":2}', '{"type":"ready"}']);
  });

  it('is ready at once if there is nothing to read', async () => {
    const { link, hello } = open();
    hello(0);
    await link.found;
    await link.catchUp();
  });
});

describe('an agent', () => {
  const started = () => {
    const story = open();
    story.hello(0);
    const { heard, events } = listener();
    const spawn = (at = spec) => story.link.spawn(at, events, { id: 'id', handle: 5, historyBytes: 9 });
    return { ...story, heard, events, spawn };
  };

  it('starts a program, and hears of it', async () => {
    const { sent, heard, spawn, tell, frame } = started();
    const program = spawn();
    expect(JSON.parse(sent[0] as string)).toEqual({
      ...{ type: 'spawn', handle: 5, id: 'id', spec, historyBytes: 9 },
    });
    tell({ type: 'spawned', handle: 5, pid: 2 ** 22 + 5, bornAt: undefined });
    await program.starting;
    frame('output', 5, 0, Buffer.from('hi'), true);
    frame('taken', 5, 4, named('me', Buffer.alloc(0)), true);
    tell({ type: 'resized', handle: 5, offset: 2, size: { cols: 90, rows: 24 } });
    tell({ type: 'exited', handle: 5, exit: { code: 3, signal: null } });
    expect(heard).toEqual(['hi.', 'took 4 of me earlier', '90 columns', 'exit 3']);
  });

  it('[K4] is told that a program was refused, or refuses by itself what can be seen from here', async () => {
    const { spawn, tell, sent } = started();
    const program = spawn();
    tell({ type: 'refused', handle: 5, code: 'no_pty', message: 'No terminal is left.' });
    await expect(program.starting).rejects.toMatchObject({ code: 'no_pty' });
    const count = sent.length;
    expect(() => spawn({ ...spec, cwd: '/no such directory' })).toThrow(/director/);
    expect(() => spawn({ ...spec, command: 'no-such-command' })).toThrow(/no-such-command/);
    expect(sent.length).toBe(count);
  });

  it('starts programs for sessions only', () => {
    const { link, events } = started();
    expect(() => link.spawn(spec, events)).toThrow('invariant');
  });

  it('[K1] types, answers, and leaves blobs for the next one', () => {
    const { link, sent, spawn } = started();
    const program = spawn();
    sent.length = 0;
    program.write(Buffer.from('ls'), () => {}, { instance: 'me', offset: 8 });
    program.answer(Buffer.from('ok'));
    link.putBlob(5, 'metadata', Buffer.from('name'));
    link.retain(5, 100);
    link.finished(4);
    expect(sent).toEqual([
      'input 5 8 me ls',
      'answer 5 0 ok',
      'blob 5 0 metadata name',
      '{"type":"retain","handle":5,"offset":100}',
      '{"type":"finished","code":4}',
    ]);
  });

  it('hears no more of a session that it removed', () => {
    const { heard, spawn, tell, frame } = started();
    spawn().forget();
    frame('output', 5, 0, Buffer.from('late'));
    tell({ type: 'exited', handle: 5, exit: { code: 0, signal: null } });
    expect(heard).toEqual([]);
  });

  it('[F26] says that it has booted, answers pings, stops and leaves', () => {
    const { link, sent, tell } = started();
    link.booted();
    for (const type of ['ping', 'stop', 'leave']) tell({ type });
    expect(sent).toEqual(['{"type":"booted","version":1}', '{"type":"pong"}', '(stops)', '(leaves)']);
  });

  it('[K4] ignores messages of later versions, and refuses frames that no keeper sends', () => {
    const { sent, spawn, tell, frame } = started();
    tell({ type: 'later' });
    tell({ type: 'later', handle: 5 } as { type: string });
    expect(sent).toEqual([]);
    spawn();
    expect(() => frame('credit', 5, 0, Buffer.alloc(0))).toThrow(WireError);
  });
});
