/** How a replay is composed, and how much of it a slow path gets at first. */
import { describe, expect, it } from 'vitest';
import { OutputHistory } from '../../../vm-agent/output/output-history.ts';
import { interleave, type Piece, type Replay, still } from '../../../vm-agent/output/replay.ts';
import { Terminal } from '../../../vm-agent/terminal/terminal.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fakeSpawner } from '../../support/fake-pty.ts';

const SIZE = { cols: 80, rows: 24 };
const WIDE = { cols: 120, rows: 24 };
const bytes = (text: string) => new TextEncoder().encode(text);
const told = (pieces: readonly Piece[]) =>
  pieces.map((piece) =>
    piece.kind === 'output'
      ? `${piece.offset}:${new TextDecoder().decode(piece.bytes)}`
      : `${piece.kind} ${piece.offset}:${piece.size.cols}`,
  );

describe('output and resizes', () => {
  it.each([
    { what: 'no change', changes: [], pieces: ['10:hello'] },
    { what: 'one in the middle', changes: [12], pieces: ['10:he', 'resize 12:120', '12:llo'] },
    { what: 'one at the beginning', changes: [10], pieces: ['resize 10:120', '10:hello'] },
    { what: 'one at the end', changes: [15], pieces: ['10:hello', 'resize 15:120'] },
    {
      what: 'two in one place',
      changes: [12, 12],
      pieces: ['10:he', 'resize 12:120', 'resize 12:120', '12:llo'],
    },
  ])('[OU7] are in order with $what', ({ changes, pieces }) => {
    const found = interleave(
      10,
      bytes('hello'),
      changes.map((offset) => ({ offset, size: WIDE })),
    );
    expect(told(found)).toEqual(pieces);
  });

  it('produce no empty parts', () => {
    expect(interleave(10, bytes(''), [])).toEqual([]);
  });
});

describe('a still replay', () => {
  const replay: Replay = {
    from: 100,
    to: 120,
    size: SIZE,
    screen: bytes('screen'),
    linesAbove: 3,
    pieces: [
      { kind: 'output', offset: 100, bytes: bytes('0123456789') },
      { kind: 'resize', offset: 110, size: WIDE },
      { kind: 'output', offset: 110, bytes: bytes('abcdefghij') },
    ],
  };

  it.each([
    { room: 0, pieces: [] },
    { room: 4, pieces: ['100:0123'] },
    { room: 10, pieces: ['100:0123456789'] },
    { room: 11, pieces: ['100:0123456789', 'resize 110:120', '110:a'] },
    { room: 20, pieces: ['100:0123456789', 'resize 110:120', '110:abcdefghij'] },
  ])('[OU10] has the screen and the next $room bytes, and no more', ({ room, pieces }) => {
    const cut = still(replay, room);
    expect(told(cut.pieces)).toEqual(pieces);
    expect(cut).toMatchObject({
      from: 100,
      to: 100 + room,
      isStill: true,
      screen: replay.screen,
      linesAbove: 3,
    });
  });
});

describe('the history of output', () => {
  function printed(...lines: readonly (string | typeof SIZE)[]): OutputHistory {
    const { spawn, ptys } = fakeSpawner();
    const spec = { command: 'sh', args: [], cwd: '/', env: {}, size: SIZE };
    const terminal = new Terminal(spec, { spawn, clock: new FakeClock(), historyBytes: 10 });
    for (const line of lines) typeof line === 'string' ? ptys[0]?.prints(line) : terminal.resize(line);
    return new OutputHistory(terminal);
  }

  it('[OU1] replays from any offset that it still has, at the size of that time', () => {
    const history = printed('hello', WIDE, 'world');
    expect(told(history.replay(3)?.pieces ?? [])).toEqual(['3:lo', 'resize 5:120', '5:world']);
    expect(history.replay(3)).toMatchObject({ from: 3, to: 10, size: SIZE, screen: null, linesAbove: 0 });
    expect(history.replay(7)?.size).toEqual(WIDE);
    expect(told(history.replay(10)?.pieces ?? [])).toEqual([]);
  });

  it('[OU3] replays nothing that it does not have', () => {
    const history = printed('hello', 'world', '!');
    expect(history.start).toBe(1);
    expect(history.replay(0)).toBe(null);
    expect(history.replay(1)?.from).toBe(1);
    expect(history.replay(12)).toBe(null);
  });

  it('forgets the sizes of forgotten output, except the current one', () => {
    const history = printed('hello', WIDE, 'world', 'again', SIZE, '!');
    expect(told(history.replay(history.start)?.pieces ?? [])).toEqual([
      '6:orldagain',
      'resize 15:80',
      '15:!',
    ]);
    expect(history.replay(history.start)?.size).toEqual(WIDE);
  });

  it('returns the bytes before an offset', () => {
    const history = printed('hello', 'world', '!');
    const upTo = (offset: number) => new TextDecoder().decode(history.before(offset));
    expect([upTo(0), upTo(1), upTo(6), upTo(99)]).toEqual(['', '', 'ellow', 'elloworld!']);
  });

  it('[OU8] completes a screen with later output, including a resize at exactly that offset', () => {
    const history = printed('hello', WIDE, 'world');
    const snapshot = { size: SIZE, title: '', cwd: null, deflated: bytes('x'), linesAbove: 7, bytes: 1 };
    const since = history.completed({ ...snapshot, offset: 2, replay: [], end: 5 });
    expect(told(since.pieces)).toEqual(['resize 5:120', '5:world']);
    expect(since).toMatchObject({ from: 2, to: 10, linesAbove: 7, size: SIZE });
    expect(told(history.completed({ ...snapshot, offset: 2, replay: [], end: 6 }).pieces)).toEqual([
      '6:orld',
    ]);
  });
});
