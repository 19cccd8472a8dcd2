/** A workspace with an agent and two sessions, whose audit trail tests read. */
import { beforeEach } from 'vitest';
import type { AuditPage } from '../../../protocol/audit.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { connectAgent, connectClient, HANDLE } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

export let relay: TestRelay;
export let agent: ScriptedPeer;

/** Called once at the top of a file: every test gets its own workspace. */
export function startsWorkspaces(): void {
  const relays = sharedRelays();

  beforeEach(async () => {
    relay = await relays.start();
    agent = await connectAgent(relay, { sessions: [sessionInfo('s1'), sessionInfo('s2')] });
  });
}

export const named = async (name: string, role: ClientRole = 'operator') =>
  connectClient(relay, role, await relay.mint({ role, name }));

export async function read(query = '', role: ClientRole = 'operator'): Promise<Response> {
  return fetch(new URL(`/api/workspaces/${relay.workspace}/audit${query}`, relay.url), {
    headers: await relay.bearer(role),
  });
}

export async function entries(query = ''): Promise<AuditPage['entries']> {
  return ((await (await read(query)).json()) as AuditPage).entries;
}

/** Newest first, without the agent's own row: "Ada typed s1 ×2 detail". */
export async function said(): Promise<string[]> {
  return (await entries())
    .filter(({ action }) => action !== 'agent_connected')
    .map(({ who, action, session, count, detail }) =>
      [who?.name ?? '-', action, session ?? '-', count > 1 && `×${count}`, detail].filter(Boolean).join(' '),
    );
}

/** The client attaches, and the agent confirms as a real one does. */
export async function attaches(
  client: ScriptedPeer,
  session = 's1',
  handle = HANDLE,
  how: 'hidden' | 'watching' = 'watching',
): Promise<number> {
  client.send({ type: 'reattach_session', request: 'r', session, instance: 'i', cols: 80, rows: 24 });
  const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
  agent.send({ type: 'to_client', channel, message: confirmation(session, handle) });
  if (how === 'watching') agent.send({ type: 'subscribe', channel, handle });
  await client.message('session_reattached');
  return channel;
}

export const confirmation = (session: string, handle: number) => ({
  type: 'session_reattached',
  request: 'r',
  session: sessionInfo(session),
  handle,
  inputOffset: 0,
});
