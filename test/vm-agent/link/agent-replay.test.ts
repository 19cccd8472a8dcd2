/** The agent against a scripted relay: what a client gets that attaches. */
import { describe, expect, it } from 'vitest';
import { WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import { HISTORY_BYTES, ScriptedRelay, SIZE } from './scripted-relay.ts';

describe('output', () => {
  it('[OU1] a client with part of the output gets exactly the rest, then live output, in one ordered stream', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('before ');
    relay.clear();
    relay.attaches(1, id, { from: 2 });
    relay.pty.prints('after');
    expect(relay.story).toEqual([
      'unsubscribe',
      'session_changed',
      'to_client session_reattached',
      'to_client scrollback',
      'output 1 @2 fore ',
      'subscribe',
      'output 0 @7 after',
    ]);
    expect(relay.last('scrollback')).toMatchObject({
      kind: 'delta',
      from: 2,
      to: 7,
      lost: 0,
      bytes: 0,
      widths: '17-clusters',
      ...SIZE,
    });
  });

  it('[OU8] a new client gets the screen, what followed it, then live output', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.isPrompt = false;
    relay.screen.behind = 4;
    relay.pty.prints('parsed late');
    relay.clear();
    relay.attaches(1, id);
    relay.pty.prints(' more');
    relay.screen.behind += 5;
    await relay.screen.takes();
    await relay.settled();
    relay.pty.prints(' live');
    expect(relay.story).toEqual([
      'unsubscribe',
      'session_changed',
      'to_client session_reattached',
      'to_client scrollback',
      'snapshot 1 @0 screen@7',
      'output 1 @7 late more',
      'subscribe',
      'output 0 @16  live',
    ]);
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 7, to: 16, lost: 0, bytes: 8 });
  });

  it('[OU8] output between a snapshot and its delivery follows it, once', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('first');
    relay.clear();
    relay.attaches(1, id);
    relay.pty.prints(' second');
    await relay.settled();
    expect(relay.story.filter((line) => /^(snapshot|output) 1/.test(line))).toEqual([
      'snapshot 1 @0 screen@5',
      'output 1 @5  second',
    ]);
    expect(relay.last('scrollback')).toMatchObject({ from: 5, to: 12 });
  });

  it('[OU3] [OU8] a client that was away too long gets the screen, and the exact number of bytes it misses', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('x'.repeat(1500));
    relay.attaches(1, id, { from: 100 });
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 1500, to: 1500, lost: 1400 });
  });

  it('[OU8] a client from another life of the agent gets the screen, not bytes with the same offsets', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('0123456789');
    relay.attaches(1, id, { from: 4, epoch: 'another' });
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 10, lost: 0 });
  });

  it('[OU8] a client that left or reattached before the screen was taken gets none', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('abc');
    relay.screen.isPrompt = false;
    relay.attaches(1, id);
    const first = relay.screen.takes.bind(relay.screen);
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    await first();
    relay.attaches(2, id);
    relay.attaches(2, id, { from: 3 });
    await relay.screen.takes();
    await relay.settled();
    expect(relay.told.filter(({ type }) => type === 'scrollback')).toHaveLength(1);
    expect(relay.last('scrollback').kind).toBe('delta');
  });

  it.each(['isLost', 'isTooLarge'] as const)(
    '[OU8] if a screen %s, the bytes are sent instead',
    async (what) => {
      const relay = new ScriptedRelay();
      const id = relay.creates();
      relay.pty.prints('y'.repeat(1500));
      relay.screen[what] = true;
      relay.attaches(1, id, { from: 100 });
      await relay.settled();
      expect(relay.last('scrollback')).toMatchObject({ kind: 'delta', from: 500, to: 1500, lost: 400 });
    },
  );

  it('[OU7] a replay repeats resizes where they happened', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('wide');
    relay.asks(1, { type: 'resize', session: id, cols: 40, rows: 10 });
    relay.pty.prints('narrow');
    relay.clear();
    relay.attaches(2, id, { from: 1 });
    expect(relay.last('scrollback')).toMatchObject({ from: 1, ...SIZE });
    const frames = relay.sent.flatMap((item) =>
      'payload' in item ? [[item.kind, item.offset, item.payload.length]] : [],
    );
    expect(frames).toEqual([
      ['output', 1, 3],
      ['resize', 4, 4],
      ['output', 4, 6],
    ]);
  });

  it('[OU1] bytes that are still being joined into a frame are in the replay, not sent again after it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('x'.repeat(5000));
    relay.clear();
    relay.attaches(2, id, { from: 5000 - HISTORY_BYTES });
    relay.clock.advance(100);
    const offsets = relay.sent.flatMap((item) =>
      'payload' in item ? [[item.channel, item.offset, item.payload.length]] : [],
    );
    expect(offsets).toEqual([
      [0, 0, 5000],
      [2, 4000, 1000],
    ]);
  });

  it('[P4] output is kept while nobody is attached, and sent to nobody', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.clear();
    relay.pty.prints('alone');
    expect(relay.sent).toEqual([]);
    relay.attaches(1, id, { from: 0 });
    expect(relay.story).toContain('output 1 @0 alone');
  });

  it('[OU15] a long history follows the screen, with what was printed since, and live output continues', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.historyLines = 5000;
    relay.pty.prints('abc');
    relay.clear();
    relay.attaches(1, id, { history: 'later' });
    await relay.settled();
    relay.screen.isPrompt = false;
    const first = relay.told.flatMap((message) => (message.type === 'scrollback' ? [message] : []));
    expect(first).toMatchObject([
      { kind: 'snapshot', from: 3 },
      { history: true, from: 3, to: 3, lost: 0 },
    ]);
    expect(relay.story.filter((line) => /snapshot|subscribe$/.test(line))).toEqual([
      'unsubscribe',
      'snapshot 1 @0 screen@3',
      'subscribe',
      'snapshot 1 @0 history and screen@3',
    ]);
    relay.clear();
    relay.pty.prints('def');
    expect(relay.story).toEqual(['output 0 @3 def']);
  });

  it('[OU15] a client that is behind gets its history only after it has caught up', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.historyLines = 5000;
    relay.screen.behind = 0;
    const flood = 'x'.repeat(WINDOW_FIRST_BYTES);
    relay.pty.prints(flood);
    relay.screen.behind = WINDOW_FIRST_BYTES;
    const handle = relay.attaches(1, id, { history: 'later' });
    await relay.settled();
    const histories = () => relay.told.filter((message) => message.type === 'scrollback' && message.history);
    expect(histories()).toEqual([]);
    relay.clock.advance(1_500);
    await relay.settled();
    expect(histories()).toEqual([]);
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    relay.screen.behind = 0;
    relay.clock.advance(1_000);
    await relay.settled();
    expect(histories()).toHaveLength(1);
  });
});
