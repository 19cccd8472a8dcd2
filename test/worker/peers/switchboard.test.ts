/** Who receives a frame: the rules without sockets. Names stand for sockets. */
import { serialize, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../protocol/errors.ts';
import type { FrameHeader } from '../../../protocol/frame.ts';
import { CLIENT_HANDLES_MAX } from '../../../protocol/limits.ts';
import type { AgentPeer, ClientPeer } from '../../../worker/peers/peer.ts';
import { Switchboard } from '../../../worker/peers/switchboard.ts';
import { checkProperty } from '../../support/property.ts';

const seat = { credential: { tokenId: 'token-id', issuedAt: 0, expiresAt: 9e15 }, connectedAt: 0 };
const agent = (generation: number): AgentPeer => ({
  role: 'agent',
  generation,
  graceMs: 0,
  sessionsHaveGraces: false,
  ...seat,
});
const client = (channel: number, more: Partial<ClientPeer> = {}): ClientPeer => ({
  role: 'operator',
  channel,
  generation: 0,
  handles: [],
  ...seat,
  ...more,
});
const frame = (channel: number, handle: number): FrameHeader => ({
  kind: 'output',
  channel,
  handle,
  offset: 0,
});

function board(): Switchboard<string> {
  const it = new Switchboard<string>();
  it.addAgent('agent', agent(1));
  it.addClient('ann', client(1));
  it.addClient('ben', client(2));
  return it;
}

describe('the switchboard', () => {
  it('[RL3] sends to one channel, or to the subscribers of a session', () => {
    const it = board();
    it.subscribe(1, 7);
    it.subscribe(2, 7);
    it.subscribe(2, 8);
    expect([...it.recipients(frame(0, 7))]).toEqual(['ann', 'ben']);
    expect([...it.recipients(frame(0, 8))]).toEqual(['ben']);
    expect([...it.recipients(frame(1, 8))]).toEqual(['ann']);
    expect([...it.recipients(frame(0, 9))]).toEqual([]);
    expect([...it.recipients(frame(3, 7))]).toEqual([]);
    it.unsubscribe(1, 7);
    expect([...it.recipients(frame(0, 7))]).toEqual(['ben']);
  });

  it('[RL4] forgets subscriptions with the link on which they were reported', () => {
    const it = board();
    it.subscribe(1, 7);
    it.addAgent('heir', agent(2));
    expect([...it.recipients(frame(0, 7))]).toEqual([]);
    expect(it.agent).toBe('heir');
    expect(it.subscribe(1, 8)?.peer).toMatchObject({ generation: 2, handles: [8] });
  });

  it('[RL1] an older agent that is added later, as after a wake-up, does not win', () => {
    const it = new Switchboard<string>();
    it.addAgent('newest', agent(5));
    it.addAgent('older', agent(4));
    expect(it.agent).toBe('newest');
    it.remove('older');
    expect(it.agent).toBe('newest');
  });

  it('[RL5] counts a departure once', () => {
    const it = board();
    it.subscribe(1, 7);
    expect(it.remove('ann')).toMatchObject({ channel: 1 });
    expect(it.remove('ann')).toBeUndefined();
    expect([...it.recipients(frame(0, 7))]).toEqual([]);
    expect(it.clients().map(({ socket }) => socket)).toEqual(['ben']);
  });

  it.each([
    ['agent', 'output', 'forward'],
    ['agent', 'ack', 'forward'],
    ['agent', 'input', 'malformed'],
    ['operator', 'input', 'forward'],
    ['operator', 'ack', 'forward'],
    ['operator', 'output', 'malformed'],
    ['viewer', 'ack', 'forward'],
    ['viewer', 'input', 'forbidden'],
    ['viewer', 'snapshot', 'malformed'],
  ] as const)('[RL7] %s sends %s: %s', (role, kind, verdict) => {
    const peer = role === 'agent' ? agent(1) : client(1, { role });
    expect(board().judge(peer, kind)).toBe(verdict);
  });

  it('[S1] decides the same when it is rebuilt from socket attachments, in any order', () => {
    const step = fc.record({
      subscribe: fc.boolean(),
      channel: fc.constantFrom(1, 2),
      handle: fc.constantFrom(7, 8, 9),
    });
    checkProperty(
      'switchboard-rebuilt',
      fc.property(fc.array(step, { maxLength: 20 }), fc.boolean(), (steps, agentFirst) => {
        const lived = board();
        for (const { subscribe, channel, handle } of steps) {
          if (subscribe) lived.subscribe(channel, handle);
          else lived.unsubscribe(channel, handle);
        }
        const woken = new Switchboard<string>();
        if (agentFirst) woken.addAgent('agent', agent(1));
        for (const { socket, peer } of lived.clients()) woken.addClient(socket, peer);
        if (!agentFirst) woken.addAgent('agent', agent(1));
        for (const handle of [7, 8, 9]) {
          expect(new Set(woken.recipients(frame(0, handle)))).toEqual(
            new Set(lived.recipients(frame(0, handle))),
          );
        }
      }),
    );
  });
});

describe('connected peers', () => {
  it('[RL1] the newest agent counts, in whatever order they are added, and its departure makes no other count', () => {
    const it = new Switchboard<string>();
    expect([it.agent, it.generation]).toEqual([null, 0]);
    it.addAgent('new', agent(5));
    it.addAgent('old', agent(4));
    expect([it.agent, it.generation]).toEqual(['new', 5]);
    it.remove('old');
    expect(it.agent).toBe('new');
    it.addAgent('same again', agent(5));
    expect(it.agent).toBe('same again');
    it.remove('same again');
    expect([it.agent, it.generation]).toEqual([null, 0]);
  });

  it('[RL5] a peer that has left is on no list, gets nothing, and leaves once', () => {
    const it = board();
    it.subscribe(1, 7);
    expect(it.remove('ann')).toMatchObject({ channel: 1 });
    expect(it.remove('ann')).toBe(undefined);
    expect([it.client(1), it.clientCount, it.peerOf('ann'), [...it.recipients(frame(0, 7))]]).toEqual([
      null,
      1,
      undefined,
      [],
    ]);
    expect([...it.recipients(frame(1, 7))]).toEqual([]);
    expect(it.subscribe(1, 7)).toBe(null);
  });

  it('an agent is described while it is connected, and its description is kept', () => {
    const it = board();
    expect(it.describeAgent({ graceMs: 30_000 })).toMatchObject({
      socket: 'agent',
      peer: { role: 'agent', generation: 1, graceMs: 30_000 },
    });
    expect(it.peerOf('agent')).toMatchObject({ graceMs: 30_000, generation: 1 });
    it.remove('agent');
    expect(it.describeAgent({ graceMs: 1 })).toBe(null);
    expect(new Switchboard<string>().describeAgent({ graceMs: 1 })).toBe(null);
  });
});

describe('a subscription', () => {
  it('[RL4] is valid in its generation, for a client that has one', () => {
    const it = board();
    const peer = () => it.peerOf('ann') as ClientPeer;
    expect(it.isSubscribed(peer())).toBe(false);
    it.subscribe(1, 7);
    expect(it.isSubscribed(peer())).toBe(true);
    it.addAgent('next', agent(2));
    expect(it.isSubscribed(peer())).toBe(false);
    it.subscribe(1, 8);
    expect([peer().handles, it.isSubscribed(peer())]).toEqual([[8], true]);
    it.remove('next');
    expect(it.isSubscribed(peer())).toBe(false);
    expect(it.subscribe(1, 9)).toBe(null);
  });

  it('[RL3] ends without affecting others', () => {
    const it = board();
    it.subscribe(1, 7);
    it.subscribe(1, 8);
    expect(it.unsubscribe(1, 7)?.peer.handles).toEqual([8]);
    expect([[...it.recipients(frame(0, 7))], [...it.recipients(frame(0, 8))]]).toEqual([[], ['ann']]);
    expect(it.unsubscribe(99, 7)).toBe(null);
  });

  it('[RL4] of a client that is added after its agent is valid if it is of that generation', () => {
    const it = new Switchboard<string>();
    it.addAgent('agent', agent(3));
    it.addClient('of this one', client(1, { generation: 3, handles: [7] }));
    it.addClient('of another', client(2, { generation: 2, handles: [7] }));
    expect([...it.recipients(frame(0, 7))]).toEqual(['of this one']);
  });
});

describe('the number of sessions that a client is subscribed to', () => {
  const full = () => {
    const it = board();
    for (let handle = 0; handle < CLIENT_HANDLES_MAX; handle++) it.subscribe(1, 0xffff_ffff - handle);
    return it;
  };

  it('[X9] has a limit; an agent that exceeds it breaks the protocol', () => {
    const it = full();
    expect(() => it.subscribe(1, 1)).toThrow(ProtocolError);
    expect(it.subscribe(1, 0xffff_ffff)).toBe(null); // the same again changes nothing
    it.unsubscribe(1, 0xffff_ffff);
    expect(it.subscribe(1, 1)?.peer.handles).toHaveLength(CLIENT_HANDLES_MAX);
  });

  it('[X9] leaves 4 KiB of an attachment for the credential', () => {
    const peer = full().peerOf('ann');
    expect(serialize(peer).length).toBeLessThan(16_384 - 4096);
  });

  it('[X9] changes without touching other entries of the index', () => {
    const it = full();
    const before = it.recipients(frame(0, 0xffff_ffff));
    it.unsubscribe(1, 0xffff_fffe);
    it.subscribe(1, 5);
    expect(it.recipients(frame(0, 0xffff_ffff))).toBe(before);
    expect([...before]).toEqual(['ann']);
  });
});

/** What is still referenced after a garbage collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('over the life of an agent', () => {
  it.each(['unsubscribe', 'leave'])(
    'nothing is kept of a hundred thousand sessions whose viewers %s',
    (how) => {
      const it = board();
      const watches = (handle: number) => {
        it.addClient('ann', client(1));
        it.subscribe(1, handle);
        if (how === 'leave') it.remove('ann');
        else it.unsubscribe(1, handle);
      };
      for (let handle = 0; handle < 1_000; handle++) watches(handle);
      const before = heldBytes();
      for (let handle = 1_000; handle < 101_000; handle++) watches(handle);
      expect(heldBytes() - before).toBeLessThan(4e6);
    },
  );
});
