/** An agent that connects again and again, on a real relay. */
import { expect, it } from 'vitest';
import { REQUEST_WAIT_MAX_MS, REQUESTS_PER_S_MAX } from '../../../protocol/limits.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sharedRelays } from '../../support/shared-relays.ts';

const relays = sharedRelays();

/** Half of the requests that one token may have waiting. Each connection costs as much as ten of them. */
const CONNECTIONS = (REQUESTS_PER_S_MAX * REQUEST_WAIT_MAX_MS) / 1000 / 2;

it('[SEC21] [RL24] is refused sooner than other requests are, because each connection is written to storage', async () => {
  const relay = await relays.onWorkerd();
  const headers = await relay.bearer('agent');
  const url = new URL(`/ws/agent/${relay.workspace}`, relay.url);
  const refusals: string[] = [];
  const dial = () =>
    ScriptedPeer.connect(url, headers).catch((error: Error) => void refusals.push(error.message));
  await Promise.all(Array.from({ length: CONNECTIONS }, dial));
  await dial();
  expect(refusals.at(-1)).toContain('429');
});
