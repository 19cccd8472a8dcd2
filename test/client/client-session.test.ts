/** One session on its link, with edge cases that stories do not cover: windows, colours, visibility, and answers. */
import { describe, expect, it } from 'vitest';
import type { AttachOptions } from '../../client/attached-session.ts';
import { SessionExchange } from '../../client/session-exchange.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { TextScreen } from '../support/headless-client.ts';
import { sessionInfo } from '../support/scripted-session.ts';

const SIZE = { cols: 80, rows: 24 };
const WIDER = { cols: 100, rows: 30 };
const THEME: Theme = { foreground: '#ffffff', background: '#000000' };

function attached(options: AttachOptions = {}, size: typeof SIZE | null = SIZE) {
  const said: ClientMessage[] = [];
  const clock = new FakeClock();
  const link = { theme: undefined as Theme | undefined, changes: 0 };
  let requests = 0;
  const exchange = new SessionExchange(
    's1',
    size,
    new TextScreen(),
    {
      clock,
      instance: 'page',
      inflate: async (bytes) => bytes,
      holds: () => {},
      theme: () => link.theme,
      sendMessage: (message) => said.push(message),
      sendFrame: () => {},
      newRequest: () => `r${++requests}`,
      stateChanged: () => link.changes++,
      agentAnswered: () => {},
      agentLate: () => {},
      broken: () => {},
    },
    options,
  );
  const hears = (message: object) => exchange.receive({ session: 's1', ...message } as ServerMessage);
  return {
    session: exchange.session,
    exchange,
    clock,
    link,
    /** The messages since the last call. */
    said: () => said.splice(0),
    hears,
    /** The agent accepts, and nothing is missing. */
    accepted(request = `r${requests}`) {
      const session = sessionInfo('s1');
      hears({ type: 'session_reattached', request, session, handle: 7, inputOffset: 0 });
      hears({ type: 'scrollback', handle: 7, kind: 'delta', from: 0, to: 0, lost: 0, bytes: 0, ...SIZE });
    },
  };
}

function live(options: AttachOptions = {}, size: typeof SIZE | null = SIZE) {
  const story = attached({ isNew: true, ...options }, size);
  story.exchange.attach();
  story.accepted();
  story.said();
  return story;
}

describe('the window of a client', () => {
  it('[OU11] reports its size while it is attached and visible', () => {
    const { session, said } = live();
    session.resize(WIDER);
    expect(said()).toEqual([{ type: 'resize', session: 's1', ...WIDER }]);
    session.setVisible(false);
    said();
    session.resize(SIZE);
    expect(said()).toEqual([]);
  });

  it('[OU11] that is not attached keeps its size for later', () => {
    const { session, exchange, said } = attached();
    session.resize(WIDER);
    expect(said()).toEqual([]);
    exchange.attach();
    expect(said()).toMatchObject([{ type: 'reattach_session', ...WIDER }]);
  });

  it('[OU11] takes over with its own size, if it has one and is attached', () => {
    const { session, exchange, said } = live();
    session.takeOver();
    expect(said()).toEqual([{ type: 'resize', session: 's1', ...SIZE, takeOver: true }]);
    exchange.detached();
    session.takeOver();
    const without = live({}, null);
    without.session.takeOver();
    expect([...said(), ...without.said()]).toEqual([]);
  });

  it('knows whether it drives', () => {
    const { session, hears, link } = live();
    expect(session.isDriver).toBe(false);
    const before = link.changes;
    hears({ type: 'session_driver', yours: true });
    expect([session.isDriver, link.changes - before]).toEqual([true, 1]);
    hears({ type: 'session_driver', yours: false });
    expect(session.isDriver).toBe(false);
  });
});

describe('colours', () => {
  it('[OU18] are sent with the size, by a client that is attached, visible and has both', () => {
    const { session, exchange, said, link } = live();
    exchange.recolour();
    expect(said()).toEqual([]);
    link.theme = THEME;
    exchange.recolour();
    expect(said()).toEqual([{ type: 'resize', session: 's1', ...SIZE, theme: THEME }]);
    session.setVisible(false);
    said();
    exchange.recolour();
    session.setVisible(true);
    exchange.detached();
    said();
    exchange.recolour();
    const without = live({}, null);
    without.link.theme = THEME;
    without.exchange.recolour();
    expect([...said(), ...without.said()]).toEqual([]);
  });

  it('[OU18] are included in the attach request, if there are any', () => {
    const { exchange, said, link } = attached();
    exchange.attach();
    expect(Object.keys(said()[0] ?? {})).not.toEqual(expect.arrayContaining(['theme']));
    link.theme = THEME;
    exchange.attach();
    expect(said()).toMatchObject([{ theme: THEME }]);
  });
});

describe('a screen that was overwritten locally', () => {
  it('is requested from the beginning, at once if it is visible', () => {
    const { session, said } = live();
    session.redraw();
    const [asked] = said();
    expect(asked).toMatchObject({ type: 'reattach_session' });
    expect(asked).not.toHaveProperty('from');
  });

  it.each(['hidden', 'cut off'])('is requested later by a client that is %s', (why) => {
    const { session, exchange, said } = live();
    if (why === 'hidden') session.setVisible(false);
    else exchange.detached();
    said();
    session.redraw();
    expect(said()).toEqual([]);
    if (why === 'hidden') session.setVisible(true);
    else exchange.attach();
    const [asked] = said();
    expect(asked).toMatchObject({ type: 'reattach_session' });
    expect(asked).not.toHaveProperty('from');
  });

  it('is not requested once the program has ended', () => {
    const { session, said, hears } = live();
    hears({ type: 'session_exited', offset: 0, exitCode: 3, signal: null });
    expect(session.state).toEqual({ name: 'exited', exitCode: 3, signal: null });
    session.redraw();
    session.setVisible(false);
    session.setVisible(true);
    expect(said()).toEqual([]);
  });
});

describe('the end of a session', () => {
  it('[OU6] is known earlier, and reported with the last byte', () => {
    const { session, hears } = live();
    expect(session.exit).toBe(null);
    hears({ type: 'session_exited', offset: 5, exitCode: 0, signal: null });
    expect(session.exit).toMatchObject({ exitCode: 0, signal: null });
    expect(session.state.name).toBe('live');
  });

  it('that was closed is final', () => {
    const { session, exchange, hears, said } = live();
    hears({ type: 'session_closed', reason: 'closed' });
    expect(session.state).toMatchObject({ name: 'gone', code: 'session_missing' });
    exchange.attach();
    expect(said()).toEqual([]);
  });
});

describe('a hidden session', () => {
  it('[OU13] records output, and a bell with priority, until it is shown', () => {
    const { session, hears } = live();
    const rings = (bell: boolean) => hears({ type: 'session_activity', bell });
    rings(true);
    expect(session.unseen).toBe('nothing');
    session.setVisible(false);
    expect(session.isVisible).toBe(false);
    rings(false);
    expect(session.unseen).toBe('output');
    rings(true);
    rings(false);
    expect(session.unseen).toBe('bell');
    session.setVisible(true);
    expect(session.unseen).toBe('nothing');
  });

  it('[OU13] is hidden once, and requested again when it is shown', () => {
    const { session, said, link } = live();
    session.setVisible(false);
    session.setVisible(false);
    expect(said()).toEqual([{ type: 'hide_session', session: 's1' }]);
    session.setVisible(true);
    expect(said()).toMatchObject([{ type: 'reattach_session' }]);
    const before = link.changes;
    session.setVisible(true);
    expect([said(), link.changes - before]).toEqual([[], 0]);
  });

  it('[OU13] records nothing while disconnected', () => {
    const { session, said } = attached();
    session.setVisible(false);
    session.setVisible(true);
    expect(said()).toEqual([]);
  });
});

describe('answers', () => {
  it('to an earlier question are ignored', () => {
    const { session, exchange, accepted, hears } = attached({ isNew: true });
    exchange.attach();
    exchange.attach();
    accepted('r1');
    expect([session.state.name, session.handle]).toEqual(['attaching', undefined]);
    hears({ type: 'error', code: 'session_missing', message: 'gone', request: 'r1' });
    expect(session.state.name).toBe('attaching');
    accepted('r2');
    expect([session.state.name, session.handle]).toEqual(['live', 7]);
  });

  it('are ignored once the connection on which they were requested is lost', () => {
    const { session, exchange, accepted, hears } = attached({ isNew: true });
    exchange.attach();
    exchange.detached();
    accepted('r1');
    expect([session.state.name, session.handle]).toEqual(['attaching', undefined]);
    hears({ type: 'error', code: 'session_missing', message: 'gone', request: 'r1' });
    expect(session.state.name).toBe('attaching');
    exchange.attach();
    accepted('r2');
    expect([session.state.name, session.handle]).toEqual(['live', 7]);
  });

  it('leave the previous handle valid until they arrive', () => {
    const { session, exchange, accepted } = live();
    session.redraw();
    expect([session.state.name, session.handle]).toEqual(['live', 7]);
    accepted();
    expect([session.state.name, session.handle]).toEqual(['live', 7]);
    session.redraw();
    exchange.detached();
    expect([session.state.name, session.handle]).toEqual(['attaching', undefined]);
  });

  it('are passed to listeners, as long as they are registered', () => {
    const { session, hears } = live();
    let heard = 0;
    const stop = session.onChange(() => heard++);
    hears({ type: 'session_driver', yours: true });
    stop();
    hears({ type: 'session_driver', yours: false });
    expect(heard).toBe(1);
  });
});

describe('changes', () => {
  it('tell input that comes and goes from what else a person sees', () => {
    const { session, exchange, hears, clock } = live();
    const changes: string[] = [];
    session.onChange((change) => changes.push(change));
    const ack = (offset: number) =>
      exchange.receiveFrame({ kind: 'ack', channel: 0, handle: 7, offset, payload: new Uint8Array(0) });
    session.type(Uint8Array.of(0x61));
    ack(1);
    expect(changes.splice(0)).toEqual(['input', 'input']);
    session.type(Uint8Array.of(0x62));
    clock.advance(3_000);
    expect([session.isLate, changes.splice(0)]).toEqual([true, ['input', 'session']]);
    ack(2);
    expect([session.isLate, changes.splice(0)]).toEqual([false, ['session']]);
    hears({ type: 'session_driver', yours: true });
    expect(changes).toEqual(['session']);
  });

  it('[IN7] tell input that is given up', () => {
    const { session, exchange, clock } = live();
    exchange.detached();
    const changes: string[] = [];
    session.onChange((change) => changes.push(change));
    session.type(Uint8Array.of(0x61));
    session.type(new Uint8Array(5000));
    clock.advance(30_000);
    expect(changes).toEqual(['input', 'session', 'session']);
  });
});
