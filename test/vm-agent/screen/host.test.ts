/** Whose turn it is, with time that moves a little whenever the host looks at it. */
import { describe, expect, it } from 'vitest';
import { ANSWER_BACKLOG_MAX_BYTES } from '../../../protocol/limits.ts';
import { Host } from '../../../vm-agent/screen/host.ts';
import type { FromThread } from '../../../vm-agent/screen/thread-messages.ts';
import { bytesOf } from './terminal-state.ts';

const FLOOD = bytesOf('a line of a flood, coloured \x1b[31mred\x1b[0m\r\n'.repeat(8000));

/** Every look at the clock takes a quarter of a millisecond, so a slice of parsing is 32 steps of 4 KiB. */
function host(screens: number) {
  const said: FromThread[] = [];
  let now = 0;
  const made = new Host({
    now: () => {
      now += 0.25;
      return now;
    },
    post: (message) => void said.push(message),
  });
  for (let screen = 1; screen <= screens; screen++) {
    made.receive({
      type: 'open',
      screen,
      size: { cols: 80, rows: 24 },
      scrollbackLines: 5000,
      theme: {},
      offset: 0,
      cwd: null,
    });
  }
  const turnsUntil = (isIt: (message: FromThread) => boolean, limit = 10_000) => {
    for (let turns = 1; turns <= limit; turns++) {
      const before = said.length;
      made.turn();
      if (said.slice(before).some(isIt)) return turns;
    }
    throw new Error('never');
  };
  return { made, said, turnsUntil };
}

const isSnapshot = (screen: number) => (message: FromThread) =>
  message.type === 'snapshot' && message.screen === screen;
const isParsed = (screen: number) => (message: FromThread) =>
  message.type === 'parsed' && message.screen === screen;

describe('turns', () => {
  it('[R7] make a snapshot of one session after at most one slice of another that floods', () => {
    const { made, turnsUntil } = host(2);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: FLOOD });
    made.turn();
    made.receive({ type: 'output', screen: 2, offset: 0, bytes: bytesOf('$ ') });
    made.receive({ type: 'snapshot', screen: 2, request: 1, format: 'ansi', scope: 'screen', atLeast: 0 });
    expect(turnsUntil(isSnapshot(2))).toBeLessThanOrEqual(4);
  });

  it('[R7] parse each of ten floods in turn, a slice at a time', () => {
    const { made, said } = host(10);
    for (let screen = 1; screen <= 10; screen++)
      made.receive({ type: 'output', screen, offset: 0, bytes: FLOOD });
    for (let turn = 0; turn < 20; turn++) made.turn();
    expect(said.map((message) => message.screen)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(Math.max(...said.map((message) => (message.type === 'parsed' ? message.offset : 0)))).toBeLessThan(
      FLOOD.length,
    );
  });

  it('[R7] go on parsing others while a long history is written, and snapshot a third between', () => {
    const { made, turnsUntil, said } = host(3);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: FLOOD });
    while (made.turn());
    made.receive({ type: 'snapshot', screen: 1, request: 1, format: 'ansi', scope: 'all', atLeast: 0 });
    made.receive({ type: 'output', screen: 2, offset: 0, bytes: FLOOD });
    made.turn();
    said.length = 0;
    expect(turnsUntil(isParsed(2))).toBeLessThanOrEqual(2);
    made.receive({ type: 'snapshot', screen: 3, request: 2, format: 'ansi', scope: 'screen', atLeast: 0 });
    expect(turnsUntil(isSnapshot(3))).toBeLessThanOrEqual(8);
    expect(said.some(isSnapshot(1))).toBe(false);
    expect(turnsUntil(isSnapshot(1))).toBeGreaterThan(10);
  });

  it('[R1] do not parse into a terminal whose snapshot is half written', () => {
    const { made, said, turnsUntil } = host(1);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: FLOOD });
    while (made.turn());
    made.receive({ type: 'snapshot', screen: 1, request: 1, format: 'ansi', scope: 'all', atLeast: 0 });
    made.turn();
    said.length = 0;
    made.receive({ type: 'output', screen: 1, offset: FLOOD.length, bytes: bytesOf('more') });
    turnsUntil(isSnapshot(1));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatchObject({ offset: FLOOD.length });
  });

  it('[R1] are over for a screen that was closed', () => {
    const { made, said } = host(1);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: FLOOD });
    made.receive({ type: 'close', screen: 1 });
    made.receive({ type: 'output', screen: 1, offset: FLOOD.length, bytes: FLOOD });
    expect(made.turn()).toBe(false);
    expect(said).toEqual([]);
    expect(made.size).toBe(0);
  });
});

describe('what happens in a flood', () => {
  const happened = (output: string) => {
    const { made, said } = host(1);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: bytesOf(output) });
    while (made.turn());
    return said.flatMap((message) => (message.type === 'parsed' ? [message.events] : []));
  };

  it('[X6] is told of with a bounded number of answers a slice, however many questions there are', () => {
    const slices = happened('\x1b[6n'.repeat(200_000));
    for (const events of slices) {
      const chars = events.reduce((sum, event) => sum + ('text' in event ? event.text.length : 0), 0);
      expect(chars).toBeLessThanOrEqual(ANSWER_BACKLOG_MAX_BYTES);
    }
    expect(slices.flat().length).toBeGreaterThan(0);
  });

  it('[X6] is told of once a slice where only the last of it counts: titles, directories, bells', () => {
    const [events = []] = happened(
      '\x07\x1b]2;one\x07\x1b]7;file:///a\x07\x1b[6n\x07\x1b]2;two\x07\x1b]7;file:///b\x07\x1b[6n',
    );
    expect(events.map((event) => ('text' in event ? `${event.kind} ${event.text}` : event.kind))).toEqual([
      'bell',
      'title two',
      'cwd /b',
      'answer \x1b[1;1R',
      'answer \x1b[1;1R',
    ]);
  });
});
