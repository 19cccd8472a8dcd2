/** Where the object is placed. workerd ignores the hint, so the test checks the hint itself. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placement } from '../../../worker/http/region.ts';
import { connectClient } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { TestRelay } from '../../support/test-relay.ts';

describe('placement', () => {
  it.each([
    { from: ['weur', 'enam'], hint: 'weur' },
    { from: [undefined, 'enam'], hint: 'enam' },
    { from: ['eu-west-1', null, 'APAC'], hint: 'apac' },
    { from: ['', undefined], hint: undefined },
  ])('[RL13] of $from is $hint', ({ from, hint }) => {
    expect(placement(...from).locationHint).toBe(hint);
  });
});

describe('the object is requested', () => {
  let relay: TestRelay;
  beforeEach(async () => {
    relay = await TestRelay.onWorkerd({ settings: { RELAY_REGION: 'enam' } });
  });
  afterEach(() => relay[Symbol.asyncDispose]());
  const lastHint = async () => (await relay.counts()).hints.at(-1);

  it("[S4] with the agent's region by its first connection", async () => {
    const url = new URL('/ws/agent/test?region=oc', relay.url);
    const agent = await ScriptedPeer.connect(url, await relay.bearer('agent'));
    expect(await lastHint()).toBe('oc');
    await agent.pong();
  });

  it("[S4] with the region of a client's token if it comes before the agent, or else the relay's", async () => {
    await connectClient(relay, 'operator', await relay.mint({ role: 'operator', region: 'apac' }));
    expect(await lastHint()).toBe('apac');
    await connectClient(relay);
    expect(await lastHint()).toBe('enam');
  });

  it("[S4] never with a value from the client's address", async () => {
    const url = new URL('/ws/workspaces/test?region=oc', relay.url);
    const client = await ScriptedPeer.connect(url, await relay.bearer('operator'));
    expect(await lastHint()).toBe('enam');
    await client.pong();
  });
});
