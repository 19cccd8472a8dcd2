/** Who receives a frame: the rules without a socket. Names stand for sockets. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FrameHeader } from '../../protocol/frame.ts';
import type { AgentPeer, ClientPeer } from '../../worker/peer.ts';
import { Switchboard } from '../../worker/switchboard.ts';

const seat = { credential: { tokenId: 'token-id', issuedAt: 0, expiresAt: 9e15 }, connectedAt: 0 };
const agent = (generation: number): AgentPeer => ({ role: 'agent', generation, graceMs: 0, ...seat });
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

  it('[RL4] forgets subscriptions with the link they were told on', () => {
    const it = board();
    it.subscribe(1, 7);
    it.addAgent('heir', agent(2));
    expect([...it.recipients(frame(0, 7))]).toEqual([]);
    expect(it.agent).toBe('heir');
    expect(it.subscribe(1, 8)?.peer).toMatchObject({ generation: 2, handles: [8] });
  });

  it('[RL1] an older agent that is seated later, as after a wake-up, does not win', () => {
    const it = new Switchboard<string>();
    it.addAgent('newest', agent(5));
    it.addAgent('older', agent(4));
    expect(it.agent).toBe('newest');
    it.remove('older');
    expect(it.agent).toBe('newest');
  });

  it('[RL5] a departure counts once', () => {
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

  it('[S1] rebuilt from what sockets remember, in any order, it decides the same', () => {
    const step = fc.record({
      subscribe: fc.boolean(),
      channel: fc.constantFrom(1, 2),
      handle: fc.constantFrom(7, 8, 9),
    });
    fc.assert(
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
