/** From frames onto a screen, at every edge: replays, snapshots, holes, sizes, and what is acknowledged when. */
import { describe, expect, it } from 'vitest';
import { IncomingSnapshot } from '../../client/incoming-snapshot.ts';
import { SessionOutput } from '../../client/session-output.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { encodeSize, type Frame } from '../../protocol/frame.ts';
import {
  ACK_QUIET_MS,
  FOLLOW_QUEUE_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  SNAPSHOT_MAX_BYTES,
} from '../../protocol/limits.ts';
import type { ServerMessageOf } from '../../protocol/messages.ts';
import { FakeClock } from '../support/fake-clock.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const SIZE = { cols: 80, rows: 24 };
const SCROLLBACK: ServerMessageOf<'scrollback'> = {
  type: 'scrollback',
  session: 's1',
  handle: 7,
  kind: 'delta',
  from: 0,
  to: 0,
  lost: 0,
  ...SIZE,
  bytes: 0,
};

function viewer(
  shown?: number,
  painted?: () => Promise<void>,
  inflate = async (found: Uint8Array<ArrayBuffer>) => found,
) {
  const clock = new FakeClock();
  const told: string[] = [];
  const owner = { isAttached: true, isListening: true };
  const parsing: (() => void)[] = [];
  const output = new SessionOutput(
    {
      write: (found, done) => {
        told.push(new TextDecoder().decode(found));
        parsing.push(done);
      },
      reset: (beginning) => told.push(`reset ${JSON.stringify(beginning)}`),
      resize: ({ cols, rows }) => told.push(`size ${cols}×${rows}`),
      ...(painted === undefined ? {} : { painted }),
    },
    { clock, inflate, broken: (error) => told.push(`broken: ${error.message}`) },
    {
      isAttached: () => owner.isAttached,
      isListening: () => owner.isListening,
      acknowledge: (offset) => told.push(`ack ${offset}`),
      missed: () => told.push('missed'),
      caughtUp: (isNews) => told.push(isNews ? 'caught up, news' : 'caught up'),
    },
    shown,
  );
  const frame = (
    kind: Frame['kind'],
    offset: number,
    payload: Uint8Array<ArrayBuffer>,
    wantsAck = false,
  ): void => output.receive({ kind, channel: 1, handle: 7, offset, payload, wantsAck });
  return {
    output,
    clock,
    owner,
    /** What happened since this was last asked. */
    happened: () => told.splice(0),
    parses: () => {
      for (const done of parsing.splice(0)) done();
    },
    prints: (offset: number, text: string, wantsAck = false) =>
      frame('output', offset, bytes(text), wantsAck),
    sends: frame,
    announces: (about: Partial<ServerMessageOf<'scrollback'>>) =>
      output.replayBegins({
        type: 'scrollback',
        session: 's',
        handle: 7,
        kind: 'delta',
        from: 0,
        to: 0,
        lost: 0,
        bytes: 0,
        ...SIZE,
        ...about,
      }),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a replay of bytes', () => {
  it('[OU2] goes on where the screen is, and is caught up with its last byte', () => {
    const { announces, happened, output, prints } = viewer(5);
    expect(output.resumesFrom).toBe(5);
    output.left(0);
    output.asked();
    announces({ from: 5, to: 8 });
    expect(happened()).toEqual(['size 80×24']);
    prints(5, 'ab');
    prints(7, 'c');
    expect(happened()).toEqual(['ab', 'c', 'caught up, news']);
    prints(8, 'd');
    expect(happened()).toEqual(['d', 'caught up']);
    expect([output.next, output.lostBytes, output.lastResume?.missedBytes]).toEqual([9, 0, 3]);
  });

  it('[OU3] that begins elsewhere begins anew, and says what is lost', () => {
    const { announces, happened, output } = viewer(5);
    announces({ from: 100, to: 100, lost: 95 });
    expect(happened()).toEqual([
      'reset {"kind":"delta","offset":100,"lost":95}',
      'size 80×24',
      expect.stringMatching('caught up'),
    ]);
    expect([output.next, output.lostBytes]).toEqual([100, 95]);
  });

  it('[OU2] shows nothing across a hole and nothing twice', () => {
    const { announces, happened, prints } = viewer(0);
    announces({ to: 0 });
    happened();
    prints(0, 'abc');
    prints(1, 'bcd');
    prints(0, 'abcd');
    prints(9, 'x');
    expect(happened()).toEqual(['abc', 'caught up', 'd', 'caught up', 'missed']);
  });

  it('is not caught up before it was announced, nor after it was given up', () => {
    const { announces, happened, output, prints } = viewer(0);
    prints(0, 'a');
    output.settle();
    announces({ from: 1, to: 3 });
    output.forgetReplay();
    prints(1, 'bc');
    output.settle();
    expect(happened()).toEqual(['a', 'size 80×24', 'bc']);
    expect(output.resumesFrom).toBe(3);
  });
});

describe('a replay of the screen', () => {
  it('[OU8] is shown as a whole, then what came while it was on its way', async () => {
    const { announces, happened, output, prints, sends } = viewer();
    expect(output.resumesFrom).toBe(undefined);
    announces({ kind: 'snapshot', from: 50, to: 52, bytes: 6, lost: 3, cols: 100, rows: 30 });
    sends('snapshot', 0, bytes('scr'));
    prints(50, 'ab');
    sends('resize', 52, encodeSize({ cols: 90, rows: 20 }));
    await settled();
    expect(happened()).toEqual([]);
    sends('snapshot', 3, bytes('een'));
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":50,"lost":3}',
      'size 100×30',
      'screen',
      'ab',
      expect.stringMatching('caught up'),
      'size 90×20',
      expect.stringMatching('caught up'),
    ]);
    expect(output.next).toBe(52);
  });

  it('of nothing is shown at once', async () => {
    const { announces, happened } = viewer();
    announces({ kind: 'snapshot', from: 5, to: 5, bytes: 0 });
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":5,"lost":0}',
      'size 80×24',
      '',
      expect.stringMatching('caught up'),
    ]);
  });

  it('[OU8] that is cut off in the middle, or replaced while it is unpacked, is never shown', async () => {
    const { announces, happened, output, sends } = viewer(3);
    announces({ kind: 'snapshot', from: 50, to: 50, bytes: 6 });
    output.forgetReplay();
    expect(output.resumesFrom).toBe(undefined);
    sends('snapshot', 0, bytes('screen'));
    announces({ kind: 'snapshot', from: 60, to: 60, bytes: 3 });
    sends('snapshot', 0, bytes('old'));
    announces({ kind: 'snapshot', from: 70, to: 70, bytes: 3 });
    await settled();
    expect(happened()).toEqual([]);
    sends('snapshot', 0, bytes('new'));
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":70,"lost":0}',
      'size 80×24',
      'new',
      expect.stringMatching('caught up'),
    ]);
  });

  it('[OU15] is shown, and seen, before the history that comes on its heels', async () => {
    const seen = Promise.withResolvers<void>();
    const { announces, happened, prints, sends } = viewer(undefined, () => seen.promise);
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 6 });
    sends('snapshot', 0, bytes('screen'));
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 11, history: true });
    sends('snapshot', 0, bytes('history and'));
    prints(10, ' more');
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":10,"lost":0}',
      'size 80×24',
      'screen',
      'caught up, news',
    ]);
    seen.resolve();
    await settled();
    expect(happened().filter((what) => what !== 'caught up')).toEqual([
      'reset {"kind":"snapshot","offset":10,"lost":0}',
      'size 80×24',
      'history and',
      ' more',
    ]);
  });

  it('[OU15] with its history changes nothing about what was lost', () => {
    const { announces, output } = viewer(3);
    announces({ from: 10, to: 10, lost: 7 });
    announces({ kind: 'snapshot', from: 10, to: 10, lost: 0, bytes: 4, history: true });
    expect(output.lostBytes).toBe(7);
  });
});

describe('what comes', () => {
  it('[OU13] while nobody listens is not shown', () => {
    const { announces, happened, owner, prints, sends } = viewer(0);
    announces({ to: 0 });
    happened();
    owner.isListening = false;
    prints(0, 'abc');
    sends('resize', 0, encodeSize(SIZE));
    expect(happened()).toEqual([]);
  });

  it('[OU7] as a change of size changes the size', () => {
    const { happened, sends } = viewer(0);
    sends('resize', 0, encodeSize({ cols: 132, rows: 43 }));
    sends('ack', 0, bytes(''));
    expect(happened()).toEqual(['size 132×43']);
  });

  it('[OU4] is acknowledged when it has been parsed: at once when asked, else after a while of quiet', () => {
    const { announces, clock, happened, parses, prints } = viewer(0);
    announces({ to: 0 });
    happened();
    prints(0, 'abc');
    clock.advance(10 * ACK_QUIET_MS);
    expect(happened()).toEqual(['abc', 'caught up']);
    parses();
    expect(happened()).toEqual([]);
    clock.advance(ACK_QUIET_MS);
    expect(happened()).toEqual(['ack 3']);
    prints(3, 'd', true);
    parses();
    expect(happened()).toEqual(['d', 'caught up', 'ack 4']);
  });

  it('[OU4] is acknowledged to nobody when nobody is attached, and no more once a new replay has begun', () => {
    const { announces, clock, happened, owner, output, parses, prints } = viewer(0);
    announces({ to: 0 });
    prints(0, 'abc');
    owner.isAttached = false;
    parses();
    owner.isAttached = true;
    prints(3, 'd');
    parses();
    output.forgetReplay();
    expect(clock.pending).toBe(0);
    prints(4, 'e');
    parses();
    announces({ from: 5, to: 5 });
    expect(clock.pending).toBe(0);
    clock.advance(10 * ACK_QUIET_MS);
    expect(happened().filter((what) => what.startsWith('ack'))).toEqual([]);
  });
});

describe('a snapshot in pieces', () => {
  it('is whole with its last byte', () => {
    const snapshot = new IncomingSnapshot(6, 50, SIZE);
    expect([
      snapshot.add(0, bytes('abc')),
      snapshot.add(3, bytes('de')),
      snapshot.add(5, bytes('f')),
    ]).toEqual([false, false, true]);
    expect(new TextDecoder().decode(snapshot.bytes)).toBe('abcdef');
  });

  it.each([
    ['before its turn', 3, 'x'],
    ['again', 0, 'x'],
    ['beyond the end', 2, 'xxxxx'],
  ])('[WF9] takes no piece %s', (_, offset, piece) => {
    const snapshot = new IncomingSnapshot(6, 50, SIZE);
    snapshot.add(0, bytes('ab'));
    expect(() => snapshot.add(offset, bytes(piece))).toThrow(
      `a piece of a snapshot at ${offset}, where 2 was due`,
    );
  });

  it('[SEC10] [X2] is not made room for beyond the limit', () => {
    const most = SNAPSHOT_MAX_BYTES;
    expect(new IncomingSnapshot(most, 0, SIZE).bytes).toHaveLength(most);
    expect(() => new IncomingSnapshot(most + 1, 0, SIZE)).toThrow(`a snapshot of ${most + 1} bytes`);
  });

  it('[X2] that cannot be unpacked ends the connection, and shows nothing', async () => {
    const { output, happened, sends } = viewer(undefined, undefined, async () => {
      throw new ProtocolError('a snapshot of over 5 bytes when inflated');
    });
    output.replayBegins({ ...SCROLLBACK, kind: 'snapshot', bytes: 2 });
    sends('snapshot', 0, bytes('ab'));
    await Promise.resolve();
    await Promise.resolve();
    expect(happened()).toEqual(['broken: a snapshot of over 5 bytes when inflated']);
  });

  it('[X2] keeps what follows it waiting, up to a limit', () => {
    const { output, sends } = viewer();
    output.replayBegins({ ...SCROLLBACK, kind: 'snapshot', bytes: 2 });
    const piece = new Uint8Array(PAYLOAD_MAX_BYTES);
    let sent = 0;
    for (; sent < FOLLOW_QUEUE_MAX_BYTES; sent += piece.length) sends('output', sent, piece);
    expect(() => sends('output', sent, new Uint8Array(1))).toThrow('bytes behind a snapshot');
  });
});
