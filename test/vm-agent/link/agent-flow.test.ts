/** The agent against a scripted relay: output at the pace of the clients, and for those that hide a session. */
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import { WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import { STALLED_AFTER_MS } from '../../../vm-agent/output/delivery-state.ts';
import { ScriptedRelay } from './scripted-relay.ts';

describe('output', () => {
  it('[OU9] a flood is split into quarters of the window, [WF5] a long replay into frames of the allowed size', () => {
    const relay = new ScriptedRelay({ historyBytes: 1_000_000 });
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.pty.prints('y'.repeat(2 * PAYLOAD_MAX_BYTES + 5));
    relay.clock.advance(100);
    const sizes = relay.sent.flatMap((item) => ('payload' in item ? [item.payload.length] : []));
    expect(Math.max(...sizes), 'a quarter of the window').toBe(WINDOW_FIRST_BYTES / 4);
    relay.clear();
    relay.attaches(2, id, { from: 5 });
    expect(relay.sent.flatMap((item) => ('payload' in item ? [item.payload.length] : []))).toEqual([
      PAYLOAD_MAX_BYTES,
      PAYLOAD_MAX_BYTES,
    ]);
  });

  it('[OU5] a program waits while even its fastest client has no credit, and continues when one has', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.acknowledges(1, handle, 1000);
    expect(relay.pty.paused).toBe(false);
  });

  it('[OU5] a program never waits without clients, also when the last client leaves while it was waiting', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    expect(relay.pty.paused).toBe(false);
    relay.pty.prints('z'.repeat(30 * WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(false);
  });

  it('[OU5] a program that waits is let go on when it is closed, and waits again when it prints', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.ignores = ['SIGHUP'];
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.asks(1, { type: 'close_session', request: 'x', session: id });
    expect(relay.pty.paused, 'its end comes after everything it has printed').toBe(false);
    relay.pty.prints('more');
    expect(relay.pty.paused).toBe(true);
  });

  it('[OU9] a flood in one session leaves room for the echo in another', () => {
    const relay = new ScriptedRelay();
    const flooded = relay.creates();
    relay.attaches(1, flooded, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    const calm = relay.creates();
    relay.attaches(1, calm, { from: 0 });
    relay.pty.prints('echo');
    expect(relay.pty.paused).toBe(false);
    expect(relay.story.at(-1)).toBe('output 0 @0 echo');
  });

  it('[OU10] a client that falls behind the fastest gets no more output, and is later brought back with what it missed', () => {
    const relay = new ScriptedRelay({ historyBytes: 1_000_000 });
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.attaches(2, id, { from: 0 });
    relay.pty.prints('a'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    relay.clear();
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    expect(relay.pty.paused).toBe(false);
    relay.pty.prints('b'.repeat(10));
    expect(relay.sent[0], 'before what it has no room for').toEqual({
      type: 'unsubscribe',
      channel: 2,
      handle,
    });
    relay.clear();
    relay.acknowledges(2, handle, WINDOW_FIRST_BYTES);
    expect(relay.story).toEqual([
      'to_client scrollback',
      `output 2 @${WINDOW_FIRST_BYTES} bbbbbbbbbb`,
      'subscribe',
    ]);
    expect(relay.last('scrollback')).toMatchObject({ kind: 'delta', from: WINDOW_FIRST_BYTES, lost: 0 });
  });

  it('[OU10] or with the current screen, and the number of bytes it missed', async () => {
    const relay = new ScriptedRelay({ historyBytes: 1_000_000 });
    const id = relay.creates();
    const handle = relay.attaches(1, id, { role: 'viewer', from: 0 });
    relay.pty.prints('a'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    relay.pty.prints('b'.repeat(100_000));
    relay.clock.advance(4);
    expect(relay.pty.paused, 'a viewer sets no pace').toBe(false);
    relay.clear();
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({
      kind: 'snapshot',
      from: WINDOW_FIRST_BYTES + 100_000,
      lost: 100_000,
    });
  });

  it('[OU10] a screen that is far behind is still sent, a window at a time, until little is left', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const printed = 5 * WINDOW_FIRST_BYTES;
    relay.pty.prints('x'.repeat(printed));
    relay.screen.behind = printed;
    const handle = relay.attaches(1, id);
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 0, to: WINDOW_FIRST_BYTES });
    expect(relay.story).not.toContain('subscribe');
    relay.pty.prints('not for who is still behind');

    relay.screen.behind = 10;
    relay.clear();
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    await relay.settled();
    const end = printed + 'not for who is still behind'.length;
    const lost = end - 10 - WINDOW_FIRST_BYTES;
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: end - 10, to: end, lost });
    expect(relay.story).toContain('subscribe');
  });

  it('[OU5] a stalled client that is the only one does not stop the program for long', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.clear();
    relay.clock.advance(STALLED_AFTER_MS);
    expect(relay.pty.paused).toBe(false);
    relay.pty.prints('more');
    expect(relay.sent).toEqual([{ type: 'unsubscribe', channel: 1, handle }]);
  });

  it('[OU13] a client that has hidden a session is told once about output, and once about the bell', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.asks(1, { type: 'hide_session', session: id });
    expect(relay.sent).toEqual([{ type: 'unsubscribe', channel: 1, handle }]);
    expect(relay.screen.watched).toBe(false);
    relay.clear();
    relay.pty.prints('one');
    relay.pty.prints('two');
    relay.screen.events.bell();
    relay.screen.events.bell();
    const mark = (bell: boolean) => ({ type: 'session_activity', session: id, bell });
    expect(relay.told).toEqual([mark(false), mark(true)]);
    expect(relay.agent.sessions.find(id).info.attached).toBe(1);
    relay.clear();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('three');
    expect(relay.story).toEqual([
      'unsubscribe',
      'session_changed',
      'to_client session_reattached',
      'to_client scrollback',
      'output 1 @0 onetwo',
      'subscribe',
      'output 0 @6 three',
    ]);
  });

  it('[OU13] a client that attaches hidden gets no replay, and nobody waits for it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('before');
    relay.clear();
    relay.attaches(1, id, { from: 0, hidden: true });
    relay.pty.prints('x'.repeat(3 * WINDOW_FIRST_BYTES));
    expect(relay.story.filter((line) => line.startsWith('output'))).toEqual([]);
    expect(relay.pty.paused).toBe(false);
  });

  it('[OU13] a screen that was requested before hiding is not sent after it', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.isPrompt = false;
    relay.attaches(1, id);
    relay.asks(1, { type: 'hide_session', session: id });
    relay.clear();
    await relay.screen.takes();
    await relay.settled();
    expect(relay.sent).toEqual([]);
  });
});
