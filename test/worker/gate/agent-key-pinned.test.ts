/** The agent whose key is pinned, and another machine that takes its place. */
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { connectKeyed, dialAgent, hello, newKey, proofOf } from '../../support/keyed-agent.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { expectSeated, pinIn, REFUSED } from './agent-pin.ts';

const relays = sharedRelays();

async function reset(relay: TestRelay): Promise<number> {
  const url = new URL(`/api/workspaces/${relay.workspace}/agent-key`, relay.url);
  return (await fetch(url, { method: 'DELETE', headers: await relay.bearer('operator') })).status;
}

describe('the pinned agent', () => {
  it('[AK4] [RL1] replaces its own older connection: the newest with the same key wins', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const first = await connectKeyed(relay, key);
    const second = await connectKeyed(relay, key);
    expect(await first.closed).toMatchObject({ code: CLOSE.replaced });
    await expectSeated(relay, second);
  });

  it('[AK4] may be challenged and prove its key after a hibernation', async () => {
    const relay = await relays.start();
    const key = newKey();
    const agent = await dialAgent(relay, key.publicText);
    await relay.evict('hibernate');
    agent.send({ type: 'prove', mac: proofOf(agent, key, relay.workspace) });
    await relay.evict('hibernate');
    hello(agent);
    await agent.message('presence');
    await expectSeated(relay, agent);
    expect(await pinIn(relay)).toMatchObject({ fingerprint: key.fingerprint });
  });

  it('[AK4] is dropped at once between challenge and proof if its token is revoked', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const agent = await dialAgent(relay, key.publicText);
    const revoked = await fetch(new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url), {
      method: 'POST',
      headers: await relay.bearer('operator'),
      body: JSON.stringify({ before: new Date().toISOString() }),
    });
    expect(revoked.status).toBe(204);
    expect(await agent.closed).toMatchObject({ code: CLOSE.unauthorized });
  });

  it('[AK4] is not admitted if its token has expired between challenge and proof', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    const agent = await dialAgent(relay, key.publicText, {
      token: await relay.token('agent', relay.workspace, 5),
    });
    await relay.advance(5_500);
    agent.send({ type: 'prove', mac: proofOf(agent, key, relay.workspace) });
    expect(await agent.closed).toMatchObject({ code: CLOSE.unauthorized });
    expect(await pinIn(relay)).toBeNull();
  });

  it('[AK2] is known in its own workspace only', async () => {
    const relay = await relays.onWorkerd();
    const [one, other] = [newKey(), newKey()];
    await connectKeyed(relay, one);
    await connectKeyed(relay, other, { workspace: 'second' });
    expect(await pinIn(relay)).toMatchObject({ fingerprint: one.fingerprint });
    expect(await pinIn(relay, 'second')).toMatchObject({ fingerprint: other.fingerprint });
  });

  it('[AK2] [F9] is replaced by the next key if the storage was lost', async () => {
    const relay = await relays.onWorkerd();
    await connectKeyed(relay, newKey());
    await relay.sql('DROP TABLE agent_key', 'CREATE TABLE agent_key (x)');
    await relay.reset();
    expect(await pinIn(relay)).toBeNull();
    const key = newKey();
    await connectKeyed(relay, key);
    expect(await pinIn(relay)).toMatchObject({ fingerprint: key.fingerprint });
  });

  it('[AK2] is refused by a pin that cannot be read, until the pin is reset', async () => {
    const relay = await relays.onWorkerd();
    const key = newKey();
    await connectKeyed(relay, key);
    await relay.sql("UPDATE agent_key SET key = 'damaged'");
    await expect(dialAgent(relay, key.publicText)).rejects.toThrow(REFUSED);
    expect(await pinIn(relay)).toMatchObject({ fingerprint: 'unreadable' });
    await reset(relay);
    await connectKeyed(relay, key);
  });
});

describe('another machine', () => {
  it('[AK6] takes over with a token that allows it, and is pinned from then on', async () => {
    const relay = await relays.onWorkerd();
    const [old, rebuilt] = [newKey(), newKey()];
    const first = await connectKeyed(relay, old);
    const second = await connectKeyed(relay, rebuilt, {
      token: await relay.mint({ role: 'agent', repin: true }),
    });
    expect(await first.closed).toMatchObject({ code: CLOSE.replaced });
    await expectSeated(relay, second);
    expect(await pinIn(relay)).toMatchObject({ fingerprint: rebuilt.fingerprint });
    await expect(dialAgent(relay, old.publicText)).rejects.toThrow(REFUSED);
    await connectKeyed(relay, rebuilt);
  });

  it('[AK6] must have and prove a key with such a token too', async () => {
    const relay = await relays.onWorkerd();
    const agent = await connectKeyed(relay, newKey());
    const token = await relay.mint({ role: 'agent', repin: true });
    const other = await dialAgent(relay, newKey().publicText, { token });
    other.send({ type: 'prove', mac: 'A'.repeat(43) });
    expect(await other.closed).toMatchObject({ code: CLOSE.forbidden });
    await expect(dialAgent(relay, undefined, { token })).rejects.toThrow(REFUSED);
    await expectSeated(relay, agent);
  });

  it('[AK7] takes over once an operator has reset the key, which disconnects nobody', async () => {
    const relay = await relays.onWorkerd();
    const agent = await connectKeyed(relay, newKey());
    expect(await reset(relay)).toBe(204);
    expect(await pinIn(relay)).toBeNull();
    await expectSeated(relay, agent);
    const rebuilt = newKey();
    const second = await connectKeyed(relay, rebuilt);
    expect(await agent.closed).toMatchObject({ code: CLOSE.replaced });
    await expectSeated(relay, second);
    expect(await pinIn(relay)).toMatchObject({ fingerprint: rebuilt.fingerprint });
    expect(await reset(relay)).toBe(204);
    expect(await reset(relay), 'again does no harm').toBe(204);
  });

  it.each(['agent', 'viewer'] as const)(
    '[AK7] is not admitted if a %s resets the key: only operators may',
    async (role) => {
      const relay = await relays.onWorkerd();
      await connectKeyed(relay, newKey());
      const url = new URL(`/api/workspaces/${relay.workspace}/agent-key`, relay.url);
      const answer = await fetch(url, { method: 'DELETE', headers: await relay.bearer(role) });
      expect(answer.status).toBe(403);
      expect(await pinIn(relay)).not.toBeNull();
    },
  );
});

describe('the audit trail', () => {
  it('[AU1] records who pinned and reset the key, and whose agent was refused', async () => {
    const relay = await relays.onWorkerd();
    await connectKeyed(relay, newKey());
    const stolen = await relay.token('agent');
    await expect(dialAgent(relay, newKey().publicText, { token: stolen })).rejects.toThrow(REFUSED);
    expect(await reset(relay)).toBe(204);
    const url = new URL(`/api/workspaces/${relay.workspace}/audit`, relay.url);
    const answer = await fetch(url, { headers: await relay.bearer('operator') });
    const { entries } = (await answer.json()) as { entries: { action: string; detail: string | null }[] };
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
      ['agent_key_reset', null],
      ['refused', 'agent_key'],
      ['agent_connected', null],
      ['agent_key_pinned', null],
    ]);
  });
});
