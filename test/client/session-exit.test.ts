/** Waiting for the exit of a session, against a scripted relay. */
import { describe, expect, it } from 'vitest';
import { sessionExit } from '../../client/session-exit.ts';
import { CLOSE } from '../../protocol/close-codes.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import {
  agentIs,
  asked,
  client,
  clock,
  connects,
  network,
  says,
  settled,
  startsClients,
} from './requests-story.ts';

startsClients();

describe('waiting for an exit', () => {
  const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
  const lists = (...sessions: SessionInfo[]) =>
    says({ type: 'session_list', request: asked('list_sessions').request, agent, sessions });
  const gone = (info: Partial<SessionInfo>) => sessionInfo('s1', info);

  it('ends when everybody is told, and attaches nothing', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    expect(asked('list_sessions')).toMatchObject({ session: 's1' });
    lists(sessionInfo('s1'));
    says({ type: 'session_exited', session: 's2', exitCode: 1, signal: null, offset: 0 });
    says({ type: 'session_exited', session: 's1', exitCode: null, signal: 'SIGHUP', offset: 0 });
    expect(await settled(exit)).toBe('done {"exitCode":null,"signal":"SIGHUP"}');
    expect(asked('reattach_session')).toBeUndefined();
  });

  it.each([
    [{ status: 'exited', exitCode: 3 }, 'done {"exitCode":3,"signal":null}'],
    [{ status: 'exited', endedBy: 'idle' }, 'session_missing'],
    [{ status: 'lost' }, 'session_missing'],
  ] as const)('ends with what the registry knows: %j', async (info, outcome) => {
    connects(1, 'offline');
    const exit = sessionExit(client, 's1');
    lists(gone(info));
    expect(await settled(exit)).toBe(outcome);
  });

  it('looks only at its own session, also in the whole list of an older relay', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    lists(sessionInfo('s2', { status: 'exited', exitCode: 3 }));
    expect(await settled(exit)).toBe('session_missing');
  });

  it('asks again after every reconnect, of either link', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    network.latest.cut();
    clock.advance(1_000);
    connects(1, 'offline');
    lists(sessionInfo('s1'));
    agentIs('online', 2);
    lists(gone({ status: 'exited', exitCode: 0 }));
    expect(await settled(exit)).toBe('done {"exitCode":0,"signal":null}');
  });

  it('has no answer when the client is refused', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    network.latest.close(CLOSE.unauthorized, 'Revoked.');
    expect(await settled(exit)).toBe('no answer');
  });
});
