/** The agent against a scripted relay: the link, the sessions and the exits of their programs. */
import { describe, expect, it } from 'vitest';
import { AGENT_CONTROL_MAX_BYTES } from '../../../protocol/limits.ts';
import { STEP_MS } from '../../../vm-agent/pty/terminate.ts';
import { ScriptedRelay, SIZE } from './scripted-relay.ts';

describe('the link', () => {
  it('[RL10] ignores messages of the relay to an earlier generation, and starts over with a new link', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    const id = relay.creates();
    relay.attaches(1, id);
    const tell = (message: object) => relay.agent.received(JSON.stringify(message));
    const viewers = () => relay.agent.sessions.find(id).viewers;
    tell({ type: 'presence', generation: 5, clients: [{ channel: 1, role: 'operator' }] });
    tell({ type: 'client_dropped', generation: 4, channel: 1 });
    expect(viewers()).toBe(1);
    tell({ type: 'client_dropped', generation: 5, channel: 1 });
    expect(viewers()).toBe(0);

    // A relay whose storage was lost counts from one again.
    relay.agent.linkOpened();
    relay.attaches(2, id);
    tell({ type: 'client_dropped', generation: 1, channel: 2 });
    expect(viewers()).toBe(0);
  });

  it('[RL9] asks which clients are connected if one has not acknowledged for a while', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    const handle = relay.attaches(1, relay.creates(), { from: 0 });
    relay.pty.prints('seen');
    relay.acknowledges(1, handle, 4);
    relay.clock.advance(60_000);
    relay.clear();
    relay.pty.prints('unseen');
    relay.clock.advance(60_000);
    expect(relay.sent.filter((item) => 'type' in item && item.type === 'ask_presence')).toHaveLength(1);
  });

  it('[F30] tells the relay why it was started with less', () => {
    const relay = new ScriptedRelay({}, 'The agent ended 3 times.');
    relay.agent.linkOpened();
    expect(relay.sent).toMatchObject([{ type: 'hello', trouble: 'The agent ended 3 times.' }]);
  });

  it('[AG1] starts with its identity and its sessions, whoever was attached before', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    expect(relay.sent).toEqual([
      {
        type: 'hello',
        version: 1,
        epoch: relay.agent.sessions.epoch,
        sessions: [],
        more: false,
        answersReadChecks: true,
        listsCommands: true,
        can: ['run', 'attention', 'digest'],
      },
    ]);
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.agent.linkOpened();
    expect(relay.sent).toMatchObject([{ type: 'hello', sessions: [{ id, status: 'running', attached: 0 }] }]);
  });

  it('[AG1] lists its sessions in pages that each fit into a message, however long the names', () => {
    const relay = new ScriptedRelay({ maxSessions: 200 });
    for (let i = 0; i < 200; i++) {
      relay.asks(1, {
        type: 'create_session',
        request: 'c',
        name: '"'.repeat(256),
        key: `${i}${'"'.repeat(250)}`,
        ...SIZE,
      });
    }
    relay.clear();
    relay.agent.linkOpened();
    const pages = relay.sent as { sessions: unknown[]; more: boolean }[];
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(({ sessions }) => sessions)).toHaveLength(200);
    expect(pages.map(({ more }) => more)).toEqual(pages.map((_, i) => i + 1 < pages.length));
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(AGENT_CONTROL_MAX_BYTES);
  });

  it('[AG1] [IN5] forgets the attachments of the previous link, and drops their late input', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.agent.linkOpened();
    relay.clear();
    relay.types(1, handle, 0, 'rm -rf /\n');
    relay.pty.prints('nobody gets this live');
    expect(relay.pty.typed).toBe('');
    expect(relay.sent).toEqual([]);
  });
});

describe('output', () => {
  it('[P5] the exit is reported after all output, with its code and the final offset', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.pty.prints('x'.repeat(4096));
    relay.pty.exits({ code: 3 });
    expect(relay.story.map((line) => line.slice(0, 25))).toEqual([
      'output 0 @0 xxxxxxxxxxxxx',
      'session_changed',
      'to_clients session_exited',
    ]);
    expect(relay.last('session_exited')).toMatchObject({
      session: id,
      exitCode: 3,
      signal: null,
      offset: 4096,
    });
  });

  it('[P5] a client that attaches afterwards is told about the exit too, after the replay', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('bye');
    relay.pty.exits({ signal: 'SIGKILL', code: null });
    relay.clear();
    relay.attaches(1, id, { from: 0 });
    expect(relay.story.slice(-3)).toEqual(['output 1 @0 bye', 'subscribe', 'to_client session_exited']);
    expect(relay.last('session_exited')).toMatchObject({ exitCode: null, signal: 'SIGKILL', offset: 3 });
  });

  it('[AG7] attaching to a session whose program has ended is an error, unless it is only read', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('bye');
    relay.pty.exits();
    const ask = { type: 'reattach_session', request: 'r', session: id, instance: 'i', ...SIZE } as const;
    relay.asks(1, ask);
    expect(relay.told.at(-1)).toMatchObject({ type: 'error', code: 'session_exited', request: 'r' });
    expect(relay.agent.sessions.find(id).viewers).toBe(0);
    relay.asks(1, { ...ask, exited: 'read', from: 0 });
    expect(relay.last('scrollback')).toMatchObject({ from: 0, to: 3 });
  });
});

describe('sessions', () => {
  it('[M4] are closed with SIGHUP, SIGTERM and SIGKILL, and then removed', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.ignores = ['SIGHUP', 'SIGTERM'];
    relay.asks(1, { type: 'close_session', request: 'x', session: id });
    expect(relay.pty.signals).toEqual(['SIGHUP']);
    relay.clock.advance(250);
    expect(relay.pty.signals).toEqual(['SIGHUP', 'SIGTERM']);
    relay.clock.advance(250);
    expect(relay.pty.signals).toEqual(['SIGHUP', 'SIGTERM', 'SIGKILL']);
    expect(relay.last('session_closed').session).toBe(id);
    expect(relay.agent.sessions.list()).toEqual([]);
    relay.asks(1, { type: 'rename_session', request: 'x', session: id, name: 'y' });
    expect(relay.last('error')).toMatchObject({ code: 'session_missing' });
    expect(relay.clock.pending).toBe(0);
  });

  it('are refused beyond the limit of the machine', () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.creates();
    relay.asks(1, { type: 'create_session', request: 'third', ...SIZE });
    expect(relay.last('error')).toMatchObject({ code: 'session_limit', request: 'third' });
    expect(relay.spawner.ptys).toHaveLength(2);
  });

  it('[P8] have a name that is made printable and reported to everybody', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.asks(1, {
      type: 'rename_session',
      request: 'x',
      session: id,
      name: ' \u001b[31mbuild\u202e\u0007 ',
    });
    expect(relay.last('session_renamed')).toMatchObject({ session: id, name: '[31mbuild' });
    relay.asks(1, { type: 'rename_session', request: 'x', session: id, name: '\u0000 ' });
    expect(relay.last('error')).toMatchObject({ code: 'bad_request' });
  });

  it('[AG9] are described to the relay on request, before the request is confirmed', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.clear();
    relay.asks(1, { type: 'refresh_sessions', request: 'fresh' }, 'viewer');
    expect(relay.sent).toMatchObject([
      { type: 'session_changed', session: { id } },
      { type: 'to_client', channel: 1, message: { type: 'sessions_refreshed', request: 'fresh' } },
    ]);
    relay.asks(1, { type: 'refresh_sessions', request: 'none', session: 'unknown' });
    expect(relay.last('error')).toMatchObject({ code: 'session_missing', request: 'none' });
  });

  it('are all ended by draining, which reports when nothing they started is left', async () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.creates();
    const stubborn = relay.pty;
    stubborn.ignores = ['SIGHUP'];
    let drained = false;
    const done = relay.agent.sessions.drain(10_000).then(() => {
      drained = true;
    });
    await Promise.resolve();
    expect(drained).toBe(false);
    relay.clock.advance(STEP_MS);
    await Promise.resolve();
    expect(drained, 'a job may have outlived its shell').toBe(false);
    relay.clock.advance(STEP_MS);
    await done;
    expect(stubborn.signals).toEqual(['SIGHUP', 'SIGTERM']);
  });
});
