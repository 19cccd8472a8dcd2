/** `list_sessions` for one session: what a wait for an exit asks, as often as links are cut. */
import { beforeEach, describe, expect, it } from 'vitest';
import { connectAgent, connectClient } from '../../support/relay-story.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

const relays = sharedRelays();

let relay: TestRelay;
beforeEach(async () => {
  relay = await relays.onWorkerd();
});

describe('a list of one session', () => {
  it('[RL6] has that one, also when the machine came back without it, or nothing', async () => {
    const agent = await connectAgent(relay, { sessions: [sessionInfo('s1'), sessionInfo('s2')] });
    const viewer = await connectClient(relay, 'viewer');
    const listed = async (session: string) => {
      viewer.send({ type: 'list_sessions', request: session, session });
      const { sessions } = await viewer.message<{ type: string; sessions: { id: string; status: string }[] }>(
        'session_list',
      );
      return sessions.map(({ id, status }) => [id, status]);
    };
    expect(await listed('s1')).toEqual([['s1', 'running']]);
    expect(await listed('s3')).toEqual([]);
    agent.terminate();
    await connectAgent(relay, { sessions: [sessionInfo('s2')] });
    expect(await listed('s1')).toEqual([['s1', 'lost']]);
  });
});
