/** What people are shown of the audit trail: who typed last, and the trail over HTTP. */
import { describe, expect, it } from 'vitest';
import type { AuditPage } from '../../../protocol/audit.ts';
import { AUDIT_PAGE_MAX_ROWS } from '../../../protocol/limits.ts';
import { HANDLE, input } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import {
  agent,
  attaches,
  confirmation,
  entries,
  named,
  read,
  relay,
  said,
  startsWorkspaces,
} from './audited-workspace.ts';

startsWorkspaces();

describe('the person who typed last', () => {
  const listed = async (client: ScriptedPeer) => {
    client.send({ type: 'list_sessions', request: 'l' });
    const { sessions } = await client.message<{
      type: string;
      sessions: { id: string; typedBy?: string; typedAt?: string }[];
    }>('session_list');
    return sessions.map(({ id, typedBy }) => `${id} ${typedBy ?? '-'}`);
  };

  it('[AU5] is in lists and in the HTTP API, for viewers too', async () => {
    const begunAt = Date.now();
    const [ada, viewer] = [await named('Ada'), await named('Vera', 'viewer')];
    await attaches(ada);
    ada.send(input(0, 'x'));
    await agent.frame();
    expect(await listed(viewer)).toEqual(['s1 Ada', 's2 -']);
    const answer = await fetch(new URL(`/api/workspaces/${relay.workspace}/sessions/s1`, relay.url), {
      headers: await relay.bearer('viewer'),
    });
    const { typedAt, typedBy } = (await answer.json()) as { typedAt: string; typedBy: string };
    expect(typedBy).toBe('Ada');
    expect(Date.parse(typedAt)).toBeGreaterThanOrEqual(begunAt);
    expect(Date.parse(typedAt)).toBeLessThanOrEqual(Date.now());
  });

  it('[AU5] is recorded when an idle page wakes the object with a key', async () => {
    const ada = await named('Ada');
    await attaches(ada);
    await relay.evict('hibernate');
    ada.send(input(0, 'x'));
    await agent.frame();
    expect(await said()).toEqual(['Ada typed s1', 'Ada attached s1']);
    expect(await listed(ada)).toEqual(['s1 Ada', 's2 -']);
  });

  it('[AU5] is not recorded for a client that never attached, or for an unknown session', async () => {
    const ada = await named('Ada');
    ada.send(input(0, 'x', 4711));
    await agent.frame();
    expect(await said()).toEqual([]);
  });

  it('[AU5] is determined by the relay: what an agent reports is dropped, in every message', async () => {
    const forged = { ...sessionInfo('s1'), typedBy: 'Mallory', typedAt: '2026-01-01T00:00:00.000Z' };
    const ada = await named('Ada');
    const channel = await attaches(ada);
    agent.send({ type: 'session_changed', session: forged });
    const presence = { state: 'online', since: null, epoch: null, generation: 1 };
    for (const message of [
      { type: 'session_list', request: 'l', agent: presence, sessions: [forged] },
      { type: 'agent_state', agent: presence, role: 'viewer' },
      { ...confirmation('s1', HANDLE), session: forged },
    ]) {
      agent.send({ type: 'to_client', channel, message });
    }
    const told = await ada.next();
    expect(told).toMatchObject({ type: 'session_reattached' });
    expect(JSON.stringify(told)).not.toContain('Mallory');
    expect(await listed(ada)).toEqual(['s1 -', 's2 -']);
  });
});

describe('GET /audit', () => {
  it('[AU6] is for operators', async () => {
    expect((await read('', 'viewer')).status).toBe(403);
    expect((await read()).status).toBe(200);
  });

  it('[AU6] has pages: a limit, the next page by id, the session, since when', async () => {
    const ada = await named('Ada');
    await attaches(ada, 's1', 1);
    await attaches(ada, 's2', 2);
    const page = (await (await read('?limit=1')).json()) as AuditPage;
    expect(page).toMatchObject({ entries: [{ session: 's2' }], more: true });
    expect(await entries(`?before=${page.entries[0]?.id}&limit=1`)).toMatchObject([{ session: 's1' }]);
    expect(await entries('?session=s1')).toMatchObject([{ session: 's1', action: 'attached' }]);
    expect(await entries(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  });

  it.each([
    `limit=${AUDIT_PAGE_MAX_ROWS + 1}`,
    'limit=0',
    'limit=x',
    'since=yesterday',
    'session=a%20b',
    'before=-1',
  ])('[AU6] refuses %s and names the field', async (query) => {
    const answer = await read(`?${query}`);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message).toContain(query.split('=')[0]);
  });

  it('[AU6] accepts the largest page size', async () => {
    expect((await read(`?limit=${AUDIT_PAGE_MAX_ROWS}`)).status).toBe(200);
  });

  it('[AU6] cannot be deleted by any request of the API', async () => {
    for (const method of ['DELETE', 'POST', 'PATCH', 'PUT']) {
      const answer = await fetch(new URL(`/api/workspaces/${relay.workspace}/audit`, relay.url), {
        method,
        headers: await relay.bearer('operator'),
      });
      expect(answer.status, method).toBe(405);
    }
  });

  it('[AU6] does not stop work if the trail cannot be written, and the log says so', async () => {
    await relay.sql('DROP TABLE audit');
    const ada = await named('Ada');
    await attaches(ada);
    ada.send(input(0, 'x'));
    await agent.frame();
    expect(relay.logs.join('\n')).toContain('audit_unusable');
  });
});
