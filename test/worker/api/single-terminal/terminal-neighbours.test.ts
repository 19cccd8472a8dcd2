/** How a machine that ignores flow control affects the terminals of another workspace, on a real relay. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { encodeFrame } from '../../../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES, WORKSPACE_TERMINALS_AHEAD_MAX_BYTES } from '../../../../protocol/limits.ts';
import { ALL_FAST_BYTES_PER_S } from '../../../../worker/api/single-terminal/terminal-pace.ts';
import { connectAgent, HANDLE } from '../../../support/relay-story.ts';
import type { ScriptedPeer } from '../../../support/scripted-peer.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { sharedRelays } from '../../../support/shared-relays.ts';
import type { TestRelay } from '../../../support/test-relay.ts';

const relays = sharedRelays();

/** How long the terminals of one workspace wait for what was sent ahead to them, when it is closed for that. */
const AHEAD_MS = (WORKSPACE_TERMINALS_AHEAD_MAX_BYTES / ALL_FAST_BYTES_PER_S) * 1000;

interface Asked extends Record<string, unknown> {
  readonly type: 'from_client';
  readonly channel: number;
  readonly message: { readonly type: string; readonly request: string };
}

/** A terminal that proves that it reads, on a session that the agent has just created. */
async function open(relay: TestRelay, agent: ScriptedPeer): Promise<{ socket: WebSocket; channel: number }> {
  const url = new URL(`/terminal/ws?workspace=${relay.workspace}&cols=80&rows=24`, relay.url);
  url.protocol = 'ws:';
  const socket = new WebSocket(url, { headers: await relay.bearer('operator'), perMessageDeflate: false });
  socket.on('message', (data: Buffer) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals are asked begins with one
    const mode = /\x1b\[\?(\d{7,})\$p/.exec(data.length < 100 ? data.toString('latin1') : '')?.[1];
    if (mode !== undefined) socket.send(`\x1b[?${mode};0$y`);
  });
  const session = sessionInfo('s1');
  const created = await agent.message<Asked>('from_client');
  const { channel } = created;
  const tell = (message: object) => agent.send({ type: 'to_client', channel, message });
  tell({ type: 'session_created', request: created.message.request, session });
  const { message } = await agent.message<Asked>('from_client');
  tell({ type: 'session_reattached', request: message.request, session, handle: HANDLE, inputOffset: 0 });
  const at = { session: 's1', handle: HANDLE, kind: 'delta', from: 0, to: 0, lost: 0, cols: 80, rows: 24 };
  tell({ type: 'scrollback', ...at, bytes: 0 });
  if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');
  return { socket, channel };
}

it('[SEC21] [X4] [RL23] a terminal whose machine ignores flow control is closed, and those of another workspace continue', async () => {
  const [hostile, other] = [await relays.onWorkerd(), await relays.onWorkerd()];
  const [flooding, agent] = [await connectAgent(hostile), await connectAgent(other)];
  const { socket, channel } = await open(hostile, flooding);
  const beside = await open(hostile, flooding);
  const theirs = await open(other, agent);
  const closed = once(socket, 'close');
  const payload = new Uint8Array(PAYLOAD_MAX_BYTES).fill(65);
  let offset = 0;
  let lastSentAt = 0;
  while (socket.readyState === WebSocket.OPEN) {
    lastSentAt = performance.now();
    for (let i = 0; i < 16; i++, offset += payload.length)
      flooding.send(encodeFrame({ kind: 'output', channel, handle: HANDLE, offset }, payload));
    await flooding.pong();
  }
  expect((await closed)[0]).toBe(4400);
  const printed = (to: number) =>
    encodeFrame({ kind: 'output', channel: to, handle: HANDLE, offset: 0, wantsAck: true }, payload);
  // Its own workspace waits for what was sent ahead, or is closed as well.
  flooding.send(printed(beside.channel));
  await flooding.pong();
  agent.send(printed(theirs.channel));
  const isAcknowledged = async (peer: ScriptedPeer, channel: number) => {
    for (;;) {
      const frame = await peer.frame();
      if (frame.kind === 'ack' && frame.channel === channel) return channel;
    }
  };
  const theirAck = isAcknowledged(agent, theirs.channel);
  const first = await Promise.race([isAcknowledged(flooding, beside.channel), theirAck]);
  // On a machine so busy that this took longer, everything sent ahead has been written meanwhile.
  if (performance.now() - lastSentAt < AHEAD_MS / 2) expect(first).toBe(theirs.channel);
  expect(await theirAck).toBe(theirs.channel);
  expect(theirs.socket.readyState).toBe(WebSocket.OPEN);
  theirs.socket.close();
});
