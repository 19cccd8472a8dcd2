/**
 * A keeper and an agent of different builds. `recorded/version-1.json` is a conversation between the first keeper and
 * the first agent of version 1, byte for byte, with what happened between: it is never written again. Both of today
 * must still be able to have it with the other.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Keeper } from '../../../vm-agent/keeper/keeper.ts';
import { FrameReader, type KeeperFrame, type KeeperHeader } from '../../../vm-agent/keeper/wire.ts';
import { type FoundSession, KeeperLink } from '../../../vm-agent/kept/keeper-link.ts';
import type { KeptPty } from '../../../vm-agent/kept/kept-pty.ts';
import type { PtyEvents } from '../../../vm-agent/pty/pty.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type FakePty, fakeSpawner } from '../../support/fake-pty.ts';
import { frameBytes } from './frame-bytes.ts';

type Step =
  | { readonly from: 'agent' | 'keeper'; readonly hex: string }
  | { readonly do: 'attach' | 'detach' }
  | { readonly do: 'ping' | 'leave' | 'stop' }
  | { readonly do: 'prints'; readonly text: string }
  | { readonly do: 'exits'; readonly code: number };

const STEPS: readonly Step[] = JSON.parse(
  readFileSync(new URL('recorded/version-1.json', import.meta.url), 'utf8'),
);

function frameOf(bytes: Buffer): KeeperFrame {
  const [frame] = [...new FrameReader().read(bytes)];
  if (frame === undefined) throw new Error('half a frame');
  return frame;
}

/** A frame as it is compared: a newer peer may add fields to a message. */
function readable({ kind, handle, offset, flag, payload }: KeeperFrame) {
  const isControl = kind === 'control';
  const content = isControl ? JSON.parse(payload.toString()) : payload.toString('latin1');
  return { kind, handle, offset, flag, content };
}

describe('today’s keeper with the first agent of version 1', () => {
  it('[K4] answers everything as the first keeper did, and adds fields only', () => {
    const spawner = fakeSpawner();
    const finished: number[] = [];
    const keeper = new Keeper({
      ...{ spawn: spawner.spawn, clock: new FakeClock(), epoch: 'epoch', pid: 42, capabilities: ['upgrade'] },
      ready: () => finished.push(-1),
      finished: (code) => finished.push(code),
    });
    const sent: Buffer[] = [];
    const send = (header: KeeperHeader, payload: Uint8Array) => void sent.push(frameBytes(header, payload));
    const program = () => spawner.ptys[0] as FakePty;
    for (const step of STEPS) {
      if ('hex' in step) {
        const frame = frameOf(Buffer.from(step.hex, 'hex'));
        if (step.from === 'keeper')
          expect(readable(frameOf(sent.shift() as Buffer))).toMatchObject(readable(frame));
        // Those two go to the supervisor.
        else if (!/"(?:booted|pong)"/.test(frame.payload.toString())) keeper.received(frame);
      } else if (step.do === 'attach') keeper.attach({ isWritable: true, send, sendLater: send });
      else if (step.do === 'detach') keeper.detach();
      else if (step.do === 'prints') program().prints(step.text);
      else if (step.do === 'exits') program().exits({ code: step.code });
      else keeper.tell({ type: step.do });
    }
    expect(sent).toEqual([]);
    expect(program().typed).toBe('ab\x1b[1;1Rcd');
    expect(program().size).toEqual({ cols: 100, rows: 30 });
    expect(finished).toEqual([-1, -1, 0]);
  });
});

/** An agent of today; what a recorded keeper sends follows in pieces. */
function agentWith(keeperFrames: Buffer[]) {
  const told: string[] = [];
  const heard: string[] = [];
  const link = new KeeperLink({
    send: (header, payload) => {
      const { kind, content } = readable(frameOf(frameBytes(header, payload)));
      told.push(kind === 'control' ? content.type : kind);
    },
    flushed: async () => {},
    stop: () => heard.push('stop'),
    leave: () => heard.push('leave'),
  });
  const events: PtyEvents = {
    output: (bytes) => heard.push(`prints ${Buffer.from(bytes)}`),
    resized: ({ cols }) => heard.push(`${cols} columns`),
    exited: ({ code }) => heard.push(`exit ${code}`),
  };
  const receives = (count: number) => {
    for (const bytes of keeperFrames.splice(0, count)) link.received(frameOf(bytes));
  };
  return { link, told, heard, events, receives };
}

const WROTE = { instance: 'x' };

describe('today’s agent with the first keeper of version 1', () => {
  const frames = STEPS.flatMap((step) =>
    'hex' in step && step.from === 'keeper' ? [Buffer.from(step.hex, 'hex')] : [],
  );
  const second = frames.findLastIndex((bytes) => bytes.includes('"hello"'));

  it('[K4] works without capabilities: starts a program, types, resizes, leaves', async () => {
    const { link, told, heard, events, receives } = agentWith(frames.slice(0, second));
    link.booted();
    receives(1);
    expect(await link.found).toEqual({ epoch: 'epoch', trouble: null, sessions: [], capabilities: [] });
    await link.catchUp();
    const spec = { command: '/bin/sh', args: [], cwd: '/', env: {}, size: { cols: 80, rows: 24 } };
    const pty = link.spawn(spec, events, { id: 'session', handle: 1, historyBytes: 100 });
    receives(2);
    await pty.starting;
    pty.write(Buffer.from('ab'), () => heard.push('taken'), { ...WROTE, offset: 0 });
    receives(Number.POSITIVE_INFINITY);
    expect(heard).toEqual(['prints one ', 'taken', '100 columns', 'prints two ', 'leave']);
    expect(told).toEqual(['booted', 'ready', 'spawn', 'credit', 'input', 'pong']);
  });

  it('[K4] takes over what the first agent had started', async () => {
    const { link, told, heard, events, receives } = agentWith(frames.slice(second));
    receives(3);
    const { sessions, capabilities } = await link.found;
    expect(capabilities).toEqual([]);
    const [session] = sessions as [FoundSession];
    expect(session).toMatchObject({ id: 'session', start: 0, end: 14, backlogBytes: 0 });
    expect(session.ledger).toContainEqual({ instance: 'x', accepted: 2, taken: 2 });
    expect(`${session.blobs.get('metadata')}`).toBe('{"name":"first"}');
    const pty: KeptPty = link.adopt(session, events);
    const ready = link.catchUp();
    receives(3);
    await ready;
    pty.write(Buffer.from('cd'), () => heard.push('taken'), { ...WROTE, offset: 2 });
    receives(Number.POSITIVE_INFINITY);
    expect(heard).toEqual(['prints one ', '100 columns', 'prints two three ', 'taken', 'exit 7', 'stop']);
    expect(told).toEqual(['credit', 'ready', 'input']);
  });
});

describe('a keeper of a version that is not known', () => {
  it('[K4] is refused in a sentence', () => {
    const { link } = agentWith([]);
    const hello = { type: 'hello', version: 3, epoch: 'epoch', pid: 1, sessions: 0, trouble: null };
    const bytes = frameBytes({ kind: 'control' }, Buffer.from(JSON.stringify(hello)));
    expect(() => link.received(frameOf(bytes))).toThrow(
      /^The keeper speaks version 3 with its agent, which speaks version 1: use a newer agent\.$/,
    );
  });
});
