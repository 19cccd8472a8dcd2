/** What the audit trail of a workspace records: scripted agents and clients, the real object. */
import { describe, expect, it } from 'vitest';
import { ATTACHED_REMEMBERED_MAX, TOKEN_CLIENTS_MAX } from '../../../protocol/limits.ts';
import { SUBPROTOCOL } from '../../../protocol/version.ts';
import { connectAgent, connectClient, HANDLE, input, questioned } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { agent, attaches, entries, named, read, relay, said, startsWorkspaces } from './audited-workspace.ts';

startsWorkspaces();

/** The client asks for a snapshot of s1, and the agent sends an empty one. */
async function takesSnapshot(client: ScriptedPeer): Promise<void> {
  client.send({ type: 'take_snapshot', request: 't', session: 's1', format: 'text' });
  const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
  const at = { session: 's1', handle: HANDLE, format: 'text', offset: 0, cols: 80, rows: 24, bytes: 0 };
  agent.send({ type: 'to_client', channel, message: { type: 'snapshot_taken', request: 't', ...at } });
  await client.message('snapshot_taken');
}

describe('the audit trail records', () => {
  it('[SEC18] [AU1] who attached, typed first, took over and left, with name, role, token and kind of client', async () => {
    const ada = await named('Ada');
    await attaches(ada);
    ada.send(input(0, 'secret'));
    await agent.frame();
    ada.send(input(6, ' words'));
    await agent.frame();
    ada.send({ type: 'resize', session: 's1', cols: 80, rows: 24, takeOver: true });
    await agent.message('from_client');
    await ada[Symbol.asyncDispose]();
    await agent.message('client_dropped');
    expect(await said()).toEqual(['Ada left -', 'Ada took_over s1', 'Ada typed s1', 'Ada attached s1']);
    const [, , typed] = await entries();
    expect(typed).toMatchObject({ who: { name: 'Ada', role: 'operator', client: 'client' }, count: 1 });
    expect(typed?.who?.tokenId).toMatch(/^.{16}$/);
    expect(JSON.stringify(await relay.sql('SELECT * FROM audit')), 'never what was typed').not.toMatch(
      /secret|words/,
    );
  });

  it('[SEC18] [AU1] [AU2] who took snapshots, in one row that counts them, because that shows as much as attaching', async () => {
    const vera = await named('Vera', 'viewer');
    for (let i = 0; i < 4; i++) await takesSnapshot(vera);
    expect(await said()).toEqual(['Vera attached s1 ×4 snapshot']);
  });

  it('[AU1] no snapshot of an attached session, and releases its place', async () => {
    const [ada, ben] = [await named('Ada'), await named('Ben')];
    await attaches(ada);
    await takesSnapshot(ada);
    await takesSnapshot(ben);
    await ben[Symbol.asyncDispose]();
    await agent.message('client_dropped');
    expect(await said()).toEqual(['Ben attached s1 snapshot', 'Ada attached s1']);
  });

  it('[AU1] who created, renamed and closed, once the agent has confirmed it', async () => {
    const [ada, ben] = [await named('Ada'), await named('Ben')];
    ada.send({ type: 'create_session', request: 'c', cols: 80, rows: 24 });
    const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
    ben.send({ type: 'rename_session', request: 'n', session: 's1', name: 'New' });
    ada.send({ type: 'close_session', request: 'x', session: 's2' });
    for (let i = 0; i < 2; i++) await agent.message('from_client');
    expect(await said(), 'asking is not doing').toEqual([]);
    agent.send({
      type: 'to_client',
      channel,
      message: { type: 'session_created', request: 'c', session: sessionInfo('s3', { name: 'Third' }) },
    });
    agent.send({ type: 'to_clients', message: { type: 'session_renamed', session: 's1', name: 'New' } });
    agent.send({ type: 'session_gone', session: 's2', reason: 'closed' });
    await questioned(agent);
    expect(await said()).toEqual(['Ada closed s2', 'Ben renamed s1 New', 'Ada created s3 Third']);
  });

  it('[SEC15] [SEC18] no creation by a viewer, whatever an agent reports', async () => {
    const vera = await named('Vera', 'viewer');
    const channel = await attaches(vera);
    const message = { type: 'session_created', request: 'c', session: sessionInfo('s3'), found: false };
    agent.send({ type: 'to_client', channel, message });
    await vera.message('session_created');
    expect(await said()).toEqual(['Vera attached s1']);
  });

  it('[AU1] no creation of a session that already existed', async () => {
    const ada = await named('Ada');
    ada.send({ type: 'create_session', request: 'c', key: 'k', cols: 80, rows: 24 });
    const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
    const message = { type: 'session_created', request: 'c', session: sessionInfo('s1'), found: true };
    agent.send({ type: 'to_client', channel, message });
    await ada.message('session_created');
    expect(await said()).toEqual([]);
  });

  it('[SEC18] [AU1] who closed a session, even after many requests for sessions that no longer exist', async () => {
    const ada = await named('Ada');
    ada.send({ type: 'close_session', request: 'c', session: 's2' });
    for (let i = 0; i < 300; i++)
      ada.send({ type: 'rename_session', request: `${i}`, session: `none-${i}`, name: 'x' });
    for (let i = 0; i <= 300; i++) await agent.message('from_client');
    agent.send({ type: 'session_gone', session: 's2', reason: 'closed' });
    await questioned(agent);
    expect(await said()).toEqual(['Ada closed s2']);
  });

  it('[AU1] who requested a delayed close, and who closed, although the object slept and the client left', async () => {
    const ada = await named('Ada');
    ada.send({ type: 'close_session', request: 'x', session: 's1', afterMs: 10_000 });
    await agent.message('from_client');
    await ada[Symbol.asyncDispose]();
    await relay.evict('hibernate');
    agent.send({ type: 'session_gone', session: 's1', reason: 'closed' });
    await questioned(agent);
    expect(await said()).toEqual(['Ada closed s1', 'Ada close_asked s1 in 10 s']);
  });

  it.each(['orphan_expired', 'idle', 'evicted'])('[AU1] a session that a rule ended: %s', async (reason) => {
    agent.send({ type: 'session_gone', session: 's1', reason });
    agent.send({ type: 'session_gone', session: 's2', reason: 'exited_expired' });
    await questioned(agent);
    expect(await said()).toEqual([`- ended s1 ${reason}`]);
  });

  it('[AU1] agents that connected and replaced each other', async () => {
    await connectAgent(relay);
    const all = await entries();
    expect(all.map(({ action, detail, who }) => [action, detail, who?.role, who?.client])).toEqual([
      ['agent_connected', 'replaced another', 'agent', 'agent'],
      ['agent_connected', null, 'agent', 'agent'],
    ]);
  });

  it('[AU1] revocations, by token and by time', async () => {
    const post = async (body: unknown) =>
      fetch(new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url), {
        method: 'POST',
        headers: { Authorization: `Bearer ${await relay.mint({ role: 'operator', name: 'Ada' })}` },
        body: JSON.stringify(body),
      });
    await post({ jti: 'token-of-mallory' });
    await post({ before: '2026-01-01T00:00:00.000Z' });
    expect(await said()).toEqual([
      'Ada revoked - before 2026-01-01T00:00:00.000Z',
      'Ada revoked - token token-of-mallory',
    ]);
    expect(await entries()).toMatchObject([{ who: { client: 'api' } }, {}, {}]);
  });

  it('[AU1] no new attach when a tab is shown again, also after a hibernation', async () => {
    const ada = await named('Ada');
    await attaches(ada, 's1', HANDLE, 'hidden');
    await relay.advance(3600_000);
    await Promise.all([ada.pong(), agent.pong()]);
    await relay.evict('hibernate');
    await attaches(ada);
    expect(await said()).toEqual(['Ada attached s1']);
    ada.send({ type: 'detach_session', session: 's1' });
    await agent.message('from_client');
    await attaches(ada);
    expect(await said()).toEqual(['Ada attached s1', 'Ada left s1', 'Ada attached s1']);
  });

  it('[AU1] for each socket only the newest attached sessions, so that its attachment stays small', async () => {
    const ada = await named('Ada \u{1f980}'.repeat(30));
    const ids = Array.from({ length: ATTACHED_REMEMBERED_MAX + 1 }, (_, i) => `${i}-`.padEnd(64, 'x'));
    for (const [i, id] of ids.entries()) await attaches(ada, id, i + 1);
    await relay.evict('hibernate');
    await attaches(ada, ids[1] ?? '', 2);
    expect((await entries()).filter(({ action }) => action === 'attached')).toHaveLength(ids.length);
    await attaches(ada, ids[0] ?? '', 1);
    // Forgotten, so it is recorded once more, in the row that is open.
    expect(await entries(`?session=${ids[0]}`)).toMatchObject([{ count: 2 }]);
  });

  it('[AU7] the printable `sub` of the token as the name, also beyond Latin-1', async () => {
    const ada = await named('Ada \u202e漢\x1b[31m \u{1f980}');
    await attaches(ada);
    expect(await said()).toEqual(['Ada 漢[31m \u{1f980} attached s1']);
  });

  it('[AU7] no `sub` that is too long: the gate refuses such a token', async () => {
    const token = await relay.mint({ role: 'operator', name: 'x'.repeat(257) });
    await expect(connectClient(relay, 'operator', token)).rejects.toThrow('401');
    const ada = await named('x'.repeat(256));
    await attaches(ada);
    expect((await entries())[0]?.who?.name).toHaveLength(256);
  });

  it('[AU7] the kind of client: the page by its ticket, the command line by its own statement, the API', async () => {
    const headers = { ...(await relay.bearer('operator')), 'Content-Type': 'application/json' };
    const origin = relay.url.origin;
    const bought = await fetch(new URL(`/api/workspaces/${relay.workspace}/tickets`, relay.url), {
      method: 'POST',
      headers,
    });
    const { ticket } = (await bought.json()) as { ticket: string };
    const page = await ScriptedPeer.connect(
      new URL(`/ws/workspaces/${relay.workspace}`, relay.url),
      { Origin: origin },
      [SUBPROTOCOL, `holdfast.ticket.${ticket}`],
    );
    await attaches(page);
    const cli = await ScriptedPeer.connect(
      new URL(`/ws/workspaces/${relay.workspace}?client=cli`, relay.url),
      headers,
    );
    await attaches(cli);
    const liar = await ScriptedPeer.connect(
      new URL(`/ws/workspaces/${relay.workspace}?client=page`, relay.url),
      headers,
    );
    await attaches(liar);
    const kinds = (await entries()).map(({ who }) => who?.client);
    expect(kinds).toEqual(['client', 'cli', 'page', 'agent']);
  });
});

describe('the audit trail records refusals of the object', () => {
  it('[AU3] a viewer that writes: one row for 120 attempts', async () => {
    const vera = await named('Vera', 'viewer');
    for (let i = 0; i < 100; i++) vera.send(input(i, 'x'));
    for (let i = 0; i < 20; i++) vera.send({ type: 'close_session', request: `${i}`, session: `s${i}` });
    for (let i = 0; i < 120; i++) await vera.message('error');
    expect(await said()).toEqual(['Vera refused - ×120 forbidden']);
  });

  it('[AU3] a used ticket, and one client too many for its token', async () => {
    const token = await relay.mint({ role: 'viewer', name: 'Vera' });
    const bought = await fetch(new URL(`/api/workspaces/${relay.workspace}/tickets`, relay.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    const { ticket } = (await bought.json()) as { ticket: string };
    const spend = () =>
      ScriptedPeer.connect(
        new URL(`/ws/workspaces/${relay.workspace}`, relay.url),
        { Origin: relay.url.origin },
        [SUBPROTOCOL, `holdfast.ticket.${ticket}`],
      );
    await spend();
    expect((await (await spend()).closed).code).toBe(4401);
    for (let i = 1; i < TOKEN_CLIENTS_MAX.viewer; i++) await connectClient(relay, 'viewer', token);
    await expect(connectClient(relay, 'viewer', token)).rejects.toThrow('4429');
    expect(await said()).toEqual(['Vera refused - too_many_clients', 'Vera refused - ticket_used']);
  });

  it('[AU3] a client that is closed because it sends too much', async () => {
    const ada = await named('Ada');
    for (let i = 0; i < 2000; i++) ada.send({ type: 'hide_session', session: `s-${i}` });
    expect((await ada.closed).code).toBe(4429);
    expect(await said()).toEqual(['Ada refused - too_fast']);
  });

  it('[AU3] a revoked token, once for three attempts', async () => {
    const token = await relay.mint({ role: 'operator', name: 'Mallory' });
    const { jti } = JSON.parse(atob(token.split('.')[1] ?? '')) as { jti: string };
    await fetch(new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url), {
      method: 'POST',
      headers: await relay.bearer('operator'),
      body: JSON.stringify({ jti }),
    });
    for (let i = 0; i < 3; i++) await expect(connectClient(relay, 'operator', token)).rejects.toThrow('401');
    expect((await said())[0]).toBe('Mallory refused - ×3 revoked');
  });

  it('[AU3] messages that are malformed or too large, which close their socket', async () => {
    const [ada, ben] = [await named('Ada'), await named('Ben')];
    ada.send('no JSON');
    expect((await ada.closed).code).toBe(4400);
    ben.send(JSON.stringify({ type: 'x'.repeat(20_000) }));
    expect((await ben.closed).code).toBe(4413);
    expect((await said()).sort()).toEqual(['Ada refused - malformed', 'Ben refused - too_large']);
  });

  it('[AU3] but not refusals of the gate, which wake no object', async () => {
    const before = await relay.counts();
    await read('', 'viewer');
    expect(await relay.counts()).toEqual(before);
    expect(await said()).toEqual([]);
  });

  it('[AU2] a viewer that attaches and leaves in a loop, in two rows', async () => {
    const token = await relay.mint({ role: 'viewer', name: 'Vera' });
    for (let i = 0; i < 10; i++) {
      const vera = await connectClient(relay, 'viewer', token);
      await attaches(vera);
      await vera[Symbol.asyncDispose]();
      await agent.message('client_dropped');
      if (i === 5) await relay.evict('hibernate');
    }
    const rows = await entries();
    expect(rows.map(({ action }) => action)).toEqual(['left', 'attached', 'agent_connected']);
  });
});
