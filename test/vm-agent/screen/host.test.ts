/** Scheduling between screens, with a clock that advances a little whenever the host reads it. */
import { describe, expect, it } from 'vitest';
import { ANSWER_BACKLOG_MAX_BYTES } from '../../../protocol/limits.ts';
import { inflateState } from '../../../vm-agent/screen/deflate.ts';
import { Host } from '../../../vm-agent/screen/host.ts';
import {
  BATCH_MAX_BYTES,
  PARSE_SLICE_MS,
  PARSED_SINCE_MAX_BYTES,
  STEP_MAX_BYTES,
  STEP_MAX_SEQUENCES,
} from '../../../vm-agent/screen/limits.ts';
import type { FromThread } from '../../../vm-agent/screen/thread-messages.ts';
import { bytesOf } from './terminal-state.ts';

const FLOOD = bytesOf('a line of a flood, coloured \x1b[31mred\x1b[0m\r\n'.repeat(8000));

/** Each read of the clock takes a quarter of a millisecond, so a slice of parsing is 16 steps of 4 KiB. */
function host(screens: number) {
  const said: FromThread[] = [];
  /** Whose slices there were, in order. */
  const slices: number[] = [];
  let now = 0;
  const made = new Host({
    now: () => {
      now += 0.25;
      return now;
    },
    post: (message) => void said.push(message),
    working: (screen) => void (screen !== 0 && slices.push(screen)),
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
  /** So many sessions with a long history, of which nothing is left to parse. */
  const fill = (...filled: readonly number[]) => {
    for (const screen of filled) made.receive({ type: 'output', screen, offset: 0, bytes: FLOOD });
    while (made.turn());
    said.length = 0;
    slices.length = 0;
  };
  const ask = (screen: number, format: 'ansi' | 'text' | 'html' = 'ansi', scope: 'all' | 'screen' = 'all') =>
    made.receive({ type: 'snapshot', screen, request: 1, format, scope, atLeast: 0 });
  return { made, said, slices, turnsUntil, fill, ask };
}

const isSnapshot = (screen: number) => (message: FromThread) =>
  message.type === 'snapshot' && message.screen === screen;
const isParsed = (screen: number) => (message: FromThread) =>
  message.type === 'parsed' && message.screen === screen;

describe('scheduling between screens', () => {
  it('[R7] takes a snapshot of one session after at most one slice of another that floods', () => {
    const { made, turnsUntil } = host(2);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: FLOOD });
    made.turn();
    made.receive({ type: 'output', screen: 2, offset: 0, bytes: bytesOf('$ ') });
    made.receive({ type: 'snapshot', screen: 2, request: 1, format: 'ansi', scope: 'screen', atLeast: 0 });
    expect(turnsUntil(isSnapshot(2))).toBeLessThanOrEqual(4);
  });

  it('[R7] gives no more than its share to one that was too large to sleep', () => {
    const { made, turnsUntil, ask } = host(2);
    const link = (uri: string) => `\x1b]8;;${uri}\x1b\\`;
    const row = `${link(`http://${'a'.repeat(2000)}/`)}x\x1b[79b${link('')}\r${'y\x1b[C'.repeat(39)}\r\n`;
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: bytesOf(row.repeat(300)) });
    made.receive({ type: 'output', screen: 2, offset: 0, bytes: bytesOf('$ ') });
    while (made.turn());
    made.receive({ type: 'sleep', screen: 1, maxImageChars: 0 });
    turnsUntil(({ type }) => type === 'stayed');
    ask(1, 'text', 'all');
    ask(2, 'text', 'screen');
    expect(turnsUntil(isSnapshot(2))).toBeLessThanOrEqual(4);
    expect(turnsUntil(isSnapshot(1))).toBeGreaterThan(4);
  });

  it('[R7] parses each of ten floods in turn, a slice at a time', () => {
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

  it('[R7] keeps parsing others while a long history is written, and takes a snapshot of a third in between', () => {
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

  it('[R1] does not parse into a terminal that is half copied', () => {
    const { made, said, turnsUntil, fill, ask } = host(1);
    fill(1);
    ask(1);
    made.turn();
    made.receive({ type: 'output', screen: 1, offset: FLOOD.length, bytes: bytesOf('more') });
    turnsUntil(isSnapshot(1));
    expect(said.at(-1)).toMatchObject({ takenAt: FLOOD.length, offset: FLOOD.length + 4 });
  });

  it('[SEC15] [R7] answers a program long before the snapshot of its screen is written', () => {
    const { made, said, turnsUntil, fill, ask } = host(1);
    fill(1);
    for (const format of ['html', 'ansi', 'text'] as const) ask(1, format);
    made.turn();
    made.receive({ type: 'output', screen: 1, offset: FLOOD.length, bytes: bytesOf('\x1b[6n') });
    const copying = 4;
    expect(turnsUntil(isParsed(1))).toBeLessThanOrEqual(copying);
    expect(said).toMatchObject([{ type: 'parsed', events: [{ kind: 'answer', text: '\x1b[24;1R' }] }]);
    expect(turnsUntil(isSnapshot(1))).toBeGreaterThan(100);
  });

  it('[SEC15] [R7] answers a program in the slice after its query, however many snapshots are requested', () => {
    const { made, turnsUntil, fill, ask } = host(9);
    fill(1, 2, 3, 4, 5, 6, 7, 8);
    for (let screen = 1; screen <= 8; screen++) ask(screen);
    for (let turn = 0; turn < 20; turn++) {
      made.turn();
      made.receive({ type: 'output', screen: 9, offset: 4 * turn, bytes: bytesOf('\x1b[6n') });
      expect(turnsUntil(isParsed(9))).toBe(1);
    }
  });

  it('[SEC15] [R7] parses for every session with output between two slices of a snapshot', () => {
    const { made, slices, fill, ask } = host(4);
    fill(4);
    ask(4);
    for (const screen of [1, 2, 3]) made.receive({ type: 'output', screen, offset: 0, bytes: FLOOD });
    for (let turn = 0; turn < 12; turn++) made.turn();
    expect(slices).toEqual([4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3]);
  });

  it('[X4] copies one history at a time, in order, also if a screen is closed before its snapshot is written', () => {
    const { made, slices, turnsUntil, fill, ask } = host(3);
    fill(1, 2, 3);
    for (const screen of [1, 2, 3]) ask(screen);
    turnsUntil(isSnapshot(1));
    made.turn();
    made.receive({ type: 'close', screen: 2 });
    turnsUntil(isSnapshot(3));
    expect(slices.filter((screen, at) => screen !== slices[at - 1])).toEqual([1, 2, 3]);
  });

  it('[SEC15] puts a screen to sleep before it continues snapshots, because its program may print meanwhile', () => {
    const { made, slices, turnsUntil, fill, ask } = host(2);
    fill(1, 2);
    ask(1);
    made.turn();
    made.receive({ type: 'sleep', screen: 2, maxImageChars: 0 });
    slices.length = 0;
    expect(turnsUntil(({ type }) => type === 'slept')).toBeGreaterThan(100);
    expect(new Set(slices)).toEqual(new Set([2]));
  });

  it('[X6] keeps a bounded part of a flood for a concurrent snapshot, and none for text', () => {
    const { made, said, turnsUntil, fill, ask } = host(1);
    fill(1);
    for (const format of ['ansi', 'text'] as const) {
      ask(1, format);
      let offset = FLOOD.length;
      for (; offset < 3 * PARSED_SINCE_MAX_BYTES; offset += FLOOD.length)
        made.receive({ type: 'output', screen: 1, offset, bytes: FLOOD });
      turnsUntil(isSnapshot(1));
      while (made.turn());
    }
    const [ansi, text] = said.filter((message) => message.type === 'snapshot');
    const kept = (ansi?.since ?? []).reduce(
      (sum, piece) => sum + ('bytes' in piece ? piece.bytes.length : 0),
      0,
    );
    expect(kept).toBeGreaterThanOrEqual(PARSED_SINCE_MAX_BYTES);
    expect(kept).toBeLessThan(PARSED_SINCE_MAX_BYTES + STEP_MAX_BYTES);
    // A step that does not fit begins the next batch.
    const batchMinBytes = BATCH_MAX_BYTES - STEP_MAX_BYTES;
    expect(ansi?.since?.length).toBeLessThanOrEqual(Math.ceil(PARSED_SINCE_MAX_BYTES / batchMinBytes) + 1);
    expect(kept).toBe((ansi?.offset ?? 0) - (ansi?.takenAt ?? 0));
    expect(text?.since).toBeNull();
    expect((text?.offset ?? 0) - (text?.takenAt ?? 0)).toBeGreaterThan(PARSED_SINCE_MAX_BYTES);
    expect(inflateState(ansi?.written?.deflated ?? new Uint8Array(0)).length).toBe(ansi?.written?.bytes);
  });

  it('[R1] ends for a screen that was closed', () => {
    const { made, said } = host(1);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: FLOOD });
    made.receive({ type: 'close', screen: 1 });
    made.receive({ type: 'output', screen: 1, offset: FLOOD.length, bytes: FLOOD });
    expect(made.turn()).toBe(false);
    expect(said).toEqual([]);
    expect(made.size).toBe(0);
  });
});

describe('a step', () => {
  it('[SEC8] [R7] has few sequences, so that costly ones delay others little', () => {
    const said: FromThread[] = [];
    let now = 0;
    // Every look at the clock takes as long as a slice, so that a slice has one step.
    const host = new Host({ now: () => (now += PARSE_SLICE_MS), post: (message) => void said.push(message) });
    const size = { cols: 80, rows: 24 };
    host.receive({ type: 'open', screen: 1, size, scrollbackLines: 100, theme: {}, offset: 0, cwd: null });
    host.receive({ type: 'output', screen: 1, offset: 0, bytes: bytesOf('\x1bc'.repeat(STEP_MAX_BYTES)) });
    host.turn();
    expect(said).toMatchObject([{ type: 'parsed', offset: 2 * STEP_MAX_SEQUENCES }]);
  });
});

describe('events during a flood', () => {
  const happened = (output: string) => {
    const { made, said } = host(1);
    made.receive({ type: 'output', screen: 1, offset: 0, bytes: bytesOf(output) });
    while (made.turn());
    return said.flatMap((message) => (message.type === 'parsed' ? [message.events] : []));
  };

  it('[X6] include a bounded number of answers per slice, however many queries there are', () => {
    const slices = happened('\x1b[6n'.repeat(200_000));
    for (const events of slices) {
      const chars = events.reduce((sum, event) => sum + ('text' in event ? event.text.length : 0), 0);
      expect(chars).toBeLessThanOrEqual(ANSWER_BACKLOG_MAX_BYTES);
    }
    expect(slices.flat().length).toBeGreaterThan(0);
  });

  it('[X6] are reported once per slice where only the last counts: titles, directories, bells', () => {
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
