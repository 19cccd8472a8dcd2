/** One session on its link, with edge cases that stories do not cover: windows, colours, visibility, and answers. */
import { describe, expect, it } from 'vitest';
import { AttachedSession, type AttachOptions } from '../../client/attached-session.ts';
import type { ClientMessage, ServerMessage, Theme } from '../../protocol/messages.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { TextScreen } from '../support/headless-client.ts';
import { sessionInfo } from '../support/scripted-session.ts';

const SIZE = { cols: 80, rows: 24 };
const WIDER = { cols: 100, rows: 30 };
const THEME: Theme = { foreground: '#ffffff', background: '#000000' };

function attached(options: AttachOptions = {}, size: typeof SIZE | null = SIZE) {
  const said: ClientMessage[] = [];
  const link = { theme: undefined as Theme | undefined, changes: 0 };
  let requests = 0;
  const session = new AttachedSession(
    's1',
    size,
    new TextScreen(),
    {
      clock: new FakeClock(),
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
  const hears = (message: object) => session.receive({ session: 's1', ...message } as ServerMessage);
  return {
    session,
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
  story.session.attach();
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
    const { session, said } = attached();
    session.resize(WIDER);
    expect(said()).toEqual([]);
    session.attach();
    expect(said()).toMatchObject([{ type: 'reattach_session', ...WIDER }]);
  });

  it('[OU11] takes over with its own size, if it has one and is attached', () => {
    const { session, said } = live();
    session.takeOver();
    expect(said()).toEqual([{ type: 'resize', session: 's1', ...SIZE, takeOver: true }]);
    session.detached();
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
    const { session, said, link } = live();
    session.recolour();
    expect(said()).toEqual([]);
    link.theme = THEME;
    session.recolour();
    expect(said()).toEqual([{ type: 'resize', session: 's1', ...SIZE, theme: THEME }]);
    session.setVisible(false);
    said();
    session.recolour();
    session.setVisible(true);
    session.detached();
    said();
    session.recolour();
    const without = live({}, null);
    without.link.theme = THEME;
    without.session.recolour();
    expect([...said(), ...without.said()]).toEqual([]);
  });

  it('[OU18] are included in the attach request, if there are any', () => {
    const { session, said, link } = attached();
    session.attach();
    expect(Object.keys(said()[0] ?? {})).not.toEqual(expect.arrayContaining(['theme']));
    link.theme = THEME;
    session.attach();
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
    const { session, said } = live();
    if (why === 'hidden') session.setVisible(false);
    else session.detached();
    said();
    session.redraw();
    expect(said()).toEqual([]);
    if (why === 'hidden') session.setVisible(true);
    else session.attach();
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
    const { session, hears, said } = live();
    hears({ type: 'session_closed', reason: 'closed' });
    expect(session.state).toMatchObject({ name: 'gone', code: 'session_missing' });
    session.attach();
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
    const { session, accepted, hears } = attached({ isNew: true });
    session.attach();
    session.attach();
    accepted('r1');
    expect([session.state.name, session.handle]).toEqual(['attaching', undefined]);
    hears({ type: 'error', code: 'session_missing', message: 'gone', request: 'r1' });
    expect(session.state.name).toBe('attaching');
    accepted('r2');
    expect([session.state.name, session.handle]).toEqual(['live', 7]);
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
