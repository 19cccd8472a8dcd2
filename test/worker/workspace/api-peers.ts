/** What the agent and the readers of the HTTP API do in tests of its limits. */
import { encodeFrame } from '../../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import type { ServerMessageOf } from '../../../protocol/messages/server-message.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { HANDLE } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import type { TestRelay } from '../../support/test-relay.ts';

export interface Asked extends Record<string, unknown> {
  readonly type: 'from_client';
  readonly channel: number;
  readonly message: { readonly type: string; readonly request: string };
}

/** Answers the next request for a snapshot: announced as `bytes` long, followed by `packed` in frames. */
export async function answerSnapshot(
  agent: ScriptedPeer,
  packed: Uint8Array,
  bytes = packed.length,
): Promise<void> {
  const { channel, message } = await agent.message<Asked>('from_client');
  const taken: ServerMessageOf<'snapshot_taken'> = {
    type: 'snapshot_taken',
    request: message.request,
    session: 's1',
    handle: HANDLE,
    format: 'ansi',
    offset: 0,
    cols: 80,
    rows: 24,
    bytes,
  };
  agent.send({ type: 'to_client', channel, message: taken });
  for (let at = 0; at < packed.length; at += PAYLOAD_MAX_BYTES) {
    const piece = packed.subarray(at, at + PAYLOAD_MAX_BYTES);
    agent.send(encodeFrame({ kind: 'snapshot', channel, handle: HANDLE, offset: at }, piece));
  }
}

/** Answers every question for a snapshot, until the agent's connection is closed. */
export async function answerSnapshots(agent: ScriptedPeer, packed: Uint8Array): Promise<void> {
  const answered = async () => {
    for (;;) await answerSnapshot(agent, packed);
  };
  await Promise.race([agent.closed, answered()]).catch(() => agent.closed);
}

/** Answers the next attach from the beginning of the output; what follows is sent to the channel that is returned. */
export async function attachTo(agent: ScriptedPeer): Promise<number> {
  const { channel, message } = await agent.message<Asked>('from_client');
  const tell = (told: object) => agent.send({ type: 'to_client', channel, message: told });
  const { request } = message;
  const session = sessionInfo('s1');
  tell({ type: 'session_reattached', request, session, handle: HANDLE, inputOffset: 0 });
  const at = { session: 's1', handle: HANDLE, kind: 'delta', from: 0, to: 0, lost: 0, cols: 80, rows: 24 };
  tell({ type: 'scrollback', ...at, bytes: 0 });
  return channel;
}

export const clientsOf = async (api: ApiClient) =>
  (await api.ask<{ clients: number }>('GET', '/health')).body.clients;

/** Reads an answer to its end without keeping it; its status. */
export async function unread(on: TestRelay, path: string): Promise<number> {
  const url = new URL(`/api/workspaces/${on.workspace}${path}`, on.url);
  const { body, status } = await fetch(url, { headers: await on.bearer('viewer') });
  for await (const _ of body ?? []);
  return status;
}

/** Resolves when the workspace has this many clients; polls the workspace, which changes nothing. */
export async function untilClients(api: ApiClient, wanted: number): Promise<void> {
  while ((await clientsOf(api)) !== wanted);
}
