/** The agent against a scripted relay: the screen of a session. */
import { describe, expect, it } from 'vitest';
import { DESCRIBE_EVERY_MS } from '../../../vm-agent/session/description.ts';
import { ScriptedRelay, SIZE } from './scripted-relay.ts';

describe('the screen', () => {
  it('[R1] [P4] mirrors everything, attached or not, with resizes in their place', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('one ');
    relay.attaches(1, id);
    relay.asks(1, { type: 'resize', session: id, cols: 100, rows: 30 });
    relay.pty.prints('two');
    expect(relay.screen.text).toBe('one two');
    expect(relay.screen.size).toEqual({ cols: 100, rows: 30 });
  });

  it('[R1] answers device queries once, whether nobody is attached or three clients are', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.events.answer(new TextEncoder().encode('\u001b[1;1R'));
    for (const channel of [1, 2, 3]) relay.attaches(channel, id);
    relay.screen.events.answer(new TextEncoder().encode('\u001b[?1;2c'));
    expect(relay.pty.typed).toBe('\u001b[1;1R\u001b[?1;2c');
  });

  it('[R1] makes a program wait that prints more than can be parsed, also with nobody attached', () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.screen.events.full(true);
    expect(relay.pty.paused).toBe(true);
    relay.screen.events.full(false);
    expect(relay.pty.paused).toBe(false);
  });

  it('[P3] reports title and directory of the shell; until the shell sets them, the system is asked', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const info = () => relay.agent.sessions.find(id).info;
    expect(info()).toMatchObject({ cwd: '/', title: null, foreground: 'sh' });
    relay.screen.events.title('vim\u0007 \u202eagent.ts');
    relay.screen.events.cwd('/srv/app');
    expect(info()).toMatchObject({ cwd: '/srv/app', title: 'vim agent.ts' });
  });

  it('[T4] reports the progress of a program until the program ends', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const info = () => relay.agent.sessions.find(id).info;
    expect(info().progress).toBeUndefined();
    relay.screen.events.progress({ state: 'running', percent: 42 });
    expect(info().progress).toEqual({ state: 'running', percent: 42 });
    relay.screen.events.progress(null);
    expect(info().progress).toBeUndefined();
    relay.screen.events.progress({ state: 'error' });
    relay.pty.exits({ code: 1, signal: null });
    expect(info().progress).toBeUndefined();
  });

  it('[T4] tells the clients that want to know, once a second, however often it changes', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { describe: true });
    for (let percent = 0; percent <= 100; percent++)
      relay.screen.events.progress({ state: 'running', percent });
    relay.clock.advance(DESCRIBE_EVERY_MS);
    relay.screen.events.progress({ state: 'running', percent: 100 });
    relay.clock.advance(60_000);
    expect(relay.told.filter(({ type }) => type === 'session_described')).toEqual([
      expect.objectContaining({ session: id, progress: { state: 'running', percent: 100 } }),
    ]);
  });

  it("[OU18] has the colours of the driver's window, and keeps them if a driver has reported none", () => {
    const relay = new ScriptedRelay();
    const [dark, light] = [{ background: '#000000' }, { background: '#ffffff' }];
    relay.asks(1, { type: 'create_session', request: 'c', ...SIZE, theme: dark });
    const { id } = relay.last('session_created').session;
    expect(relay.screen.theme).toEqual(dark);
    const handle = relay.attaches(1, id, { theme: dark });
    relay.attaches(2, id, { theme: light });
    relay.asks(2, { type: 'resize', session: id, ...SIZE, theme: light });
    expect(relay.screen.theme, 'who only looks').toEqual(dark);
    relay.types(2, handle, 0, 'x');
    expect(relay.screen.theme, 'who types').toEqual(light);
    relay.asks(2, { type: 'resize', session: id, ...SIZE, theme: dark });
    expect(relay.screen.theme, 'the driver changes its mind').toEqual(dark);
    relay.attaches(3, id);
    relay.types(3, handle, 0, 'x');
    expect(relay.screen.theme, 'who has told none').toEqual(dark);
    relay.asks(1, { type: 'resize', session: id, ...SIZE, theme: light }, 'viewer');
    expect(relay.screen.theme, 'a viewer').toEqual(dark);
  });

  it('knows whether a client is attached, and is closed with its session', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id);
    expect(relay.screen.watched).toBe(true);
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    expect(relay.screen.watched).toBe(false);
    relay.asks(1, { type: 'close_session', request: 'x', session: id });
    expect(relay.screen.closed).toBe(true);
  });
});
