/** What a client says of the window of a session: its size and its colours. */
import { describe, expect, it } from 'vitest';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import { attached, live, SIZE } from './session-on-link.ts';

const WIDER = { cols: 100, rows: 30 };
const THEME: Theme = { foreground: '#ffffff', background: '#000000' };

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
