/** A workspace identifies its agent by its key: what a stolen token can do without it. */
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { PENDING_AGENTS_MAX, PROVE_MAX_BYTES, PROVE_WITHIN_MS } from '../../../protocol/limits.ts';
import type { AgentKey } from '../../../vm-agent/identity/agent-key.ts';
import { LOW_ORDER } from '../../support/agent-key-vector.ts';
import { connectKeyed, dialAgent, hello, newKey, proofOf } from '../../support/keyed-agent.ts';
import { connectAgent, connectClient, input, output, questioned } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import { expectSeated, pinIn, REFUSED } from './agent-pin.ts';

const relays = sharedRelays();

describe('a workspace without a pin', () => {
  it('[AK2] accepts agents without a key, and stays without a pin', async () => {
    const relay = await relays.onWorkerd();
    const first = await connectAgent(relay);
    expect(first.headers).not.toHaveProperty('holdfast-challenge');
    const second = await connectAgent(relay);
    expect(await first.closed).toMatchObject({ code: CLOSE.replaced });
    await expectSeated(relay, second);
    expect(await pinIn(relay)).toBeNull();
  });

  it('[AK2] [AK7] pins the first key that is proven', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const token = await relay.token('agent');
    const agent = await connectKeyed(relay, key, { token });
    await expectSeated(relay, agent);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(await pinIn(relay)).toEqual({
      fingerprint: key.fingerprint,
      pinnedBy: jti,
      pinnedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('[AK4] pins nothing that was only offered', async () => {
    const relay = await relays.onWorkerd();
    await dialAgent(relay, newKey().publicText);
    expect(await pinIn(relay)).toBeNull();
    await connectAgent(relay);
  });

  it('[AK4] pins one of two keys that were challenged at once, and refuses the slower agent', async () => {
    const relay = await relays.onWorkerd();
    const [one, other] = [newKey(), newKey()];
    const slow = await dialAgent(relay, other.publicText);
    const agent = await connectKeyed(relay, one);
    slow.send({ type: 'prove', mac: proofOf(slow, other, relay.workspace) });
    expect(await slow.closed).toMatchObject({
      code: CLOSE.forbidden,
      reason: expect.stringContaining('reset'),
    });
    await expectSeated(relay, agent);
    expect(await pinIn(relay)).toMatchObject({ fingerprint: one.fingerprint });
  });
});

describe('a stolen agent token', () => {
  it('[SEC17] [AK2] without a key is refused with both ways to be admitted, and the real agent is not affected', async () => {
    const relay = await relays.onWorkerd();
    const token = await relay.token('agent');
    const agent = await connectKeyed(relay, newKey(), { token });
    await expect(dialAgent(relay, undefined, { token })).rejects.toThrow(REFUSED);
    await expect(dialAgent(relay, newKey().publicText, { token })).rejects.toThrow(REFUSED);
    expect(agent.unread).toEqual([]);
    await expectSeated(relay, agent);
  });

  it('[AK2] is refused while the agent is offline too, and after the relay has slept', async () => {
    const relay = await relays.start();
    const key = newKey();
    await (await connectKeyed(relay, key))[Symbol.asyncDispose]();
    await relay.evict('close');
    await expect(dialAgent(relay)).rejects.toThrow(REFUSED);
    await expectSeated(relay, await connectKeyed(relay, key));
  });

  it.each([
    ['a wrong proof', () => ({ type: 'prove', mac: 'A'.repeat(43) }), /did not prove/],
    [
      'a proof by another key',
      (peer: ScriptedPeer, _key: AgentKey, workspace: string) => ({
        type: 'prove',
        mac: proofOf(peer, newKey(), workspace),
      }),
      /did not prove/,
    ],
    [
      'a hello',
      () => ({ type: 'hello', version: 1, epoch: 'e', sessions: [], more: false }),
      /must prove its key first/,
    ],
    ['output', () => output(0, 0, 'spoofed'), /must prove its key first/],
    ['no JSON', () => '{', /must prove its key first/],
    [
      'the right proof in too long a message',
      (peer: ScriptedPeer, key: AgentKey, workspace: string) =>
        JSON.stringify({ type: 'prove', mac: proofOf(peer, key, workspace) }).padEnd(PROVE_MAX_BYTES + 1),
      /must prove its key first/,
    ],
  ])('[AK4] that offers the public key is closed for %s', async (_, message, reason) => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const agent = await connectKeyed(relay, key);
    const thief = await dialAgent(relay, key.publicText);
    await using client = await connectClient(relay);
    client.send(input(0, 'secret'));
    await agent.frame();
    thief.send(message(thief, key, relay.workspace));
    expect(await thief.closed).toEqual({ code: CLOSE.forbidden, reason: expect.stringMatching(reason) });
    expect(thief.unread, 'nobody told it anything').toEqual([]);
    expect((await questioned(agent)).before, 'nor the agent').toEqual([]);
    await expectSeated(relay, agent);
  });

  it('[AK4] gains nothing with the proof of another connection or workspace', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const watched = await dialAgent(relay, key.publicText);
    const proof = proofOf(watched, key, relay.workspace);
    watched.send({ type: 'prove', mac: proof });
    hello(watched);
    await watched.message('presence');
    const replayed = await dialAgent(relay, key.publicText);
    replayed.send({ type: 'prove', mac: proof });
    expect(await replayed.closed).toMatchObject({ code: CLOSE.forbidden });
    const elsewhere = await dialAgent(relay, key.publicText);
    elsewhere.send({ type: 'prove', mac: proofOf(elsewhere, key, 'other') });
    expect(await elsewhere.closed).toMatchObject({ code: CLOSE.forbidden });
    await expectSeated(relay, watched);
  });

  it.each([...LOW_ORDER, '', 'A'.repeat(42), `${'A'.repeat(43)}=`, `${newKey().publicText}, x`])(
    '[AK1] with %j as key is refused',
    async (key) => {
      const relay = await relays.onWorkerd();
      await expect(dialAgent(relay, key)).rejects.toThrow(/refused with 400: .*no X25519 public key/);
    },
  );

  it('[AK4] cannot send a second proof, which is an unexpected message', async () => {
    const relay = await relays.onWorkerd();
    const agent = await connectKeyed(relay, newKey());
    agent.send({ type: 'prove', mac: 'A'.repeat(43) });
    expect(await agent.closed).toMatchObject({ code: CLOSE.protocolError });
  });
});

describe('agents that do not prove their key', () => {
  it('[AK5] are closed when their time is up, at the next event', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const agent = await connectKeyed(relay, key);
    const silent = await dialAgent(relay, key.publicText);
    await relay.advance(PROVE_WITHIN_MS);
    agent.send({ type: 'ask_presence', question: 'q' });
    expect(await silent.closed).toEqual({ code: CLOSE.silent, reason: expect.stringContaining('in time') });
  });

  it('[AK5] are closed if the correct proof comes too late', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const late = await dialAgent(relay, key.publicText);
    await relay.advance(PROVE_WITHIN_MS);
    late.send({ type: 'prove', mac: proofOf(late, key, relay.workspace) });
    expect(await late.closed).toMatchObject({ code: CLOSE.silent });
    expect(await pinIn(relay)).toBeNull();
  });

  it('[AK5] do not accumulate: beyond the limit the oldest is closed, also after a hibernation', async () => {
    const relay = await relays.start();
    const key = newKey();
    const agent = await connectKeyed(relay, key);
    const waiting: ScriptedPeer[] = [];
    for (let i = 0; i < PENDING_AGENTS_MAX; i++) {
      // Each has a different time, by which a relay that has slept knows the oldest.
      await relay.advance(1);
      waiting.push(await dialAgent(relay, key.publicText));
    }
    await relay.evict('hibernate');
    const [oldest, next] = waiting;
    const newest = await dialAgent(relay, key.publicText);
    expect(await oldest?.closed).toMatchObject({ code: CLOSE.tooMany });
    await next?.pong();
    await expectSeated(relay, agent);
    newest.send({ type: 'prove', mac: proofOf(newest, key, relay.workspace) });
    hello(newest);
    await newest.message('presence');
    expect(await agent.closed).toMatchObject({ code: CLOSE.replaced });
  });

  it('[AK5] [RL9] wake no object: no alarm is set for them', async () => {
    const relay = await relays.start();
    const key = newKey();
    const agent = await connectKeyed(relay, key);
    const silent = await dialAgent(relay, key.publicText);
    await relay.evict('hibernate');
    const before = await relay.counts();
    await relay.advance(PROVE_WITHIN_MS);
    await Promise.all([silent.pong(), agent.pong()]);
    expect(await relay.counts()).toEqual(before);
  });
});
