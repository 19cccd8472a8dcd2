/** The pin of a workspace as its operator sees it, and whether an agent is admitted. */
import { expect } from 'vitest';
import { connectClient, input } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import type { TestRelay } from '../../support/test-relay.ts';

export async function pinIn(relay: TestRelay, workspace = relay.workspace) {
  const url = new URL(`/api/workspaces/${workspace}/agent-key`, relay.url);
  const answer = await fetch(url, { headers: await relay.bearer('operator', workspace) });
  return ((await answer.json()) as { key: { fingerprint: string } | null }).key;
}

/** Only the agent of the workspace receives typed input. */
export async function expectSeated(relay: TestRelay, agent: ScriptedPeer): Promise<void> {
  await using client = await connectClient(relay);
  client.send(input(0, 'typed'));
  expect(new TextDecoder().decode((await agent.frame()).payload)).toBe('typed');
}

export const REFUSED = /refused with 403: .*agent_key_refused.*`repin: true`.*`holdfast agent-key reset`/;
