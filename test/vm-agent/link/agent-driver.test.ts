/** The agent against a scripted relay: which client decides on the size of a terminal. */
import { describe, expect, it } from 'vitest';
import { ScriptedRelay } from './scripted-relay.ts';

describe('output', () => {
  it('[P13] [OU11] the client that typed last drives: others attach and resize without effect, until they type or take over', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0, cols: 100, rows: 30 });
    expect(relay.pty.size).toEqual({ cols: 100, rows: 30 });
    relay.attaches(2, id, { from: 0, cols: 40, rows: 10 });
    relay.asks(2, { type: 'resize', session: id, cols: 41, rows: 11 });
    expect(relay.pty.size).toEqual({ cols: 100, rows: 30 });
    expect(relay.last('session_driver').yours).toBe(false);

    relay.clear();
    relay.types(2, handle, 0, 'x');
    expect(relay.pty.size).toEqual({ cols: 41, rows: 11 });
    const told = relay.sent.flatMap((item) =>
      'type' in item && item.type === 'to_client' && item.message.type === 'session_driver'
        ? [[item.channel, item.message.yours]]
        : [],
    );
    expect(told).toEqual([
      [1, false],
      [2, true],
    ]);

    relay.attaches(3, id, { from: 0, cols: 30, rows: 9 });
    relay.asks(1, { type: 'resize', session: id, cols: 120, rows: 40, takeOver: true });
    expect(relay.pty.size).toEqual({ cols: 120, rows: 40 });
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    relay.asks(2, { type: 'resize', session: id, cols: 42, rows: 12 });
    expect(relay.pty.size, 'the size stays when the driver leaves two others').toEqual({
      cols: 120,
      rows: 40,
    });
  });

  describe('[U2] [P13] [OU11] while the driver is away', () => {
    const BIG = { cols: 100, rows: 30 };
    const SMALL = { cols: 40, rows: 10 };

    /** A desktop, and a phone that has taken over its size. */
    const desktopAndPhone = (): { relay: ScriptedRelay; id: string; handle: number } => {
      const relay = new ScriptedRelay();
      const id = relay.creates();
      const handle = relay.attaches(1, id, { from: 0, ...BIG });
      relay.attaches(2, id, { from: 0, ...SMALL });
      relay.types(2, handle, 0, 'x');
      expect(relay.pty.size).toEqual(SMALL);
      relay.clear();
      return { relay, id, handle };
    };
    const drops = (relay: ScriptedRelay, channel: number) =>
      relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel }));

    it('the only visible window drives, and is told so', () => {
      const { relay } = desktopAndPhone();
      drops(relay, 2);
      expect(relay.pty.size).toEqual(BIG);
      expect(relay.last('session_driver').yours).toBe(true);
    });

    it('the same holds for a driver that is hidden; shown again, it drives as before', () => {
      const { relay, id } = desktopAndPhone();
      relay.asks(2, { type: 'hide_session', session: id });
      expect(relay.pty.size).toEqual(BIG);
      relay.attaches(2, id, { from: 0, hidden: true, ...SMALL });
      expect(relay.pty.size).toEqual(BIG);
      relay.attaches(2, id, { from: 0, ...SMALL });
      expect(relay.pty.size).toEqual(SMALL);
    });

    it('a hidden window or a viewer does not drive, and does not count', () => {
      const { relay, id } = desktopAndPhone();
      relay.attaches(3, id, { from: 0, hidden: true, cols: 20, rows: 5 });
      relay.attaches(4, id, { from: 0, role: 'viewer', cols: 9, rows: 9 });
      drops(relay, 2);
      expect(relay.pty.size).toEqual(BIG);
      drops(relay, 1);
      expect(relay.pty.size).toEqual(BIG);
    });

    it('nobody drives until a client attaches on a new link, and then the one that typed last drives again', () => {
      const { relay, id, handle } = desktopAndPhone();
      relay.types(1, handle, 0, 'y');
      relay.agent.linkOpened();
      expect(relay.pty.size).toEqual(BIG);
      relay.attaches(12, id, { from: 0, instance: 'instance-2', ...SMALL });
      relay.attaches(11, id, { from: 0, instance: 'instance-1', ...BIG });
      expect(relay.pty.size).toEqual(BIG);
    });
  });

  it('[OU11] [OU13] a client that attaches while the others are hidden drives, and they do not limit its size', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0, cols: 40, rows: 10 });
    relay.asks(1, { type: 'hide_session', session: id });
    relay.attaches(2, id, { from: 0, cols: 120, rows: 40 });
    expect(relay.pty.size).toEqual({ cols: 120, rows: 40 });
    relay.attaches(1, id, { from: 0, cols: 40, rows: 10 });
    expect(relay.pty.size).toEqual({ cols: 120, rows: 40 });
  });

  it('a resize is an event at an offset, after the bytes printed before it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('w'.repeat(4096));
    relay.clear();
    relay.asks(1, { type: 'resize', session: id, cols: 100, rows: 30 });
    expect(relay.pty.size).toMatchObject({ cols: 100, rows: 30 });
    expect(relay.sent.map((item) => ('payload' in item ? [item.kind, item.offset] : item.type))).toEqual([
      ['output', 0],
      ['resize', 4096],
    ]);
    relay.attaches(2, id, { from: 4096 });
    expect(relay.last('scrollback')).toMatchObject({ type: 'scrollback', cols: 100, rows: 30 });
  });
});
