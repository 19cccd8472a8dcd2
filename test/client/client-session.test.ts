/** One session on its link, with edge cases that stories do not cover: visibility, answers, and its end. */
import { describe, expect, it } from 'vitest';
import { attached, live } from './session-on-link.ts';

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

describe('what a session is described by', () => {
  const KEYBOARD = { kind: 'assistant', name: 'Codex', since: '2026-11-17T10:00:00.000Z' };
  const ATTENTION = { state: 'asks', text: 'Allow?', at: '2026-11-17T10:00:00.000Z', offset: 3 };

  it('[A3] [A4] has who types for a person, and why it wants attention, until neither is so', () => {
    const { session, hears } = live();
    const described = { type: 'session_described', title: null, foreground: 'codex' };
    hears({ ...described, keyboard: KEYBOARD, attention: ATTENTION });
    expect(session.description).toMatchObject({ keyboard: KEYBOARD, attention: ATTENTION });
    hears(described);
    expect(session.description?.keyboard).toBeUndefined();
    expect(session.description?.attention).toBeUndefined();
  });
});

describe('a script that types', () => {
  it('[AS4] says so when it attaches, and learns that an assistant has the keyboard', () => {
    const { exchange, session, said, hears, accepted } = attached({ isScript: true, holder: 'me' });
    exchange.attach();
    expect(said()).toMatchObject([{ type: 'reattach_session', isScript: true, holder: 'me' }]);
    accepted();
    expect(session.inputRefusal).toBe(null);
    hears({ type: 'error', code: 'keyboard_busy', message: 'Codex has the keyboard.' });
    expect(session.inputRefusal).toMatchObject({ code: 'keyboard_busy' });
  });

  it('[AS4] is not meant when a person types', () => {
    const { exchange, said } = attached();
    exchange.attach();
    expect(said()[0]).not.toHaveProperty('isScript');
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

  it('[OU13] records output that was sent before the agent knew that it is hidden', () => {
    const { session, exchange } = live();
    const prints = (text: string, offset: number) =>
      exchange.receiveFrame({
        kind: 'output',
        channel: 1,
        handle: 7,
        offset,
        payload: new TextEncoder().encode(text),
      });
    prints('seen\x07', 0);
    session.setVisible(false);
    expect(session.unseen).toBe('nothing');
    prints('seen\x07', 0);
    expect(session.unseen).toBe('nothing');
    prints('\x1b]0;title\x07$ ', 5);
    expect(session.unseen).toBe('output');
    prints('done\x07', 17);
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
