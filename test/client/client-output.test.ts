/** From frames to a screen, with edge cases: replays, snapshots, gaps, sizes, and when output is acknowledged. */
import { describe, expect, it } from 'vitest';
import { ClientOutput } from '../../client/client-output.ts';
import { IncomingSnapshot } from '../../client/incoming-snapshot.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { encodeSize, type Frame } from '../../protocol/frame.ts';
import {
  ACK_QUIET_MS,
  FOLLOW_QUEUE_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  QUEUED_ITEM_BYTES,
  SCREEN_BEHIND_BYTES,
  SNAPSHOT_MAX_BYTES,
} from '../../protocol/limits.ts';
import type { ServerMessageOf } from '../../protocol/messages/server-message.ts';
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
  const held = { bytes: 0 };
  const owner = {
    isAttached: true,
    isListening: true,
    isQuick: false,
    keptUp: () => {},
    holds: (more: number) => {
      held.bytes += more;
    },
  };
  const parsing: (() => void)[] = [];
  const output = new ClientOutput(
    {
      write: (found, done) => {
        told.push(new TextDecoder().decode(found));
        if (owner.isQuick) done();
        else parsing.push(done);
      },
      reset: (beginning) => told.push(`reset ${JSON.stringify(beginning)}`),
      resize: ({ cols, rows }) => told.push(`size ${cols}×${rows}`),
      ...(painted === undefined ? {} : { painted }),
    },
    {
      clock,
      inflate,
      holds: (more) => owner.holds(more),
      broken: (error) => told.push(`broken: ${error.message}`),
    },
    {
      isAttached: () => owner.isAttached,
      isListening: () => owner.isListening,
      acknowledge: (offset) => told.push(`ack ${offset}`),
      missed: () => told.push('missed'),
      caughtUp: (isNews) => told.push(isNews ? 'caught up, news' : 'caught up'),
      fellBehind: () => told.push('fell behind'),
      keptUp: () => {
        told.push('kept up');
        owner.keptUp();
      },
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
    /** What the client was told about held memory. */
    held,
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

describe('held memory', () => {
  it('[RL21] is reported for queued, unshown and snapshot bytes, and all of it is released', async () => {
    const { announces, held, output, parses, prints, sends } = viewer();
    announces({ kind: 'snapshot', bytes: 6 });
    expect(held.bytes).toBe(0);
    sends('snapshot', 0, bytes('scr'));
    expect(held.bytes).toBe(3);
    prints(0, 'behind it');
    expect(held.bytes).toBe(3 + 9 + QUEUED_ITEM_BYTES);
    sends('snapshot', 3, bytes('een'));
    await settled();
    expect(held.bytes).toBeGreaterThanOrEqual(9 + QUEUED_ITEM_BYTES);
    parses();
    expect(held.bytes).toBe(0);
    announces({ kind: 'snapshot', bytes: 6 });
    prints(9, 'more');
    output.forgetReplay();
    expect(held.bytes).toBe(0);
  });

  it('[RL21] beyond the limit is refused with the error of the client', () => {
    const { announces, owner, prints } = viewer(0);
    announces({ from: 0, to: 0 });
    owner.holds = () => {
      throw new ProtocolError('too much');
    };
    expect(() => prints(0, 'x')).toThrow('too much');
  });
});

describe('a replay of bytes', () => {
  it('[OU2] continues where the screen is, and is caught up with its last byte', () => {
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

  it('[OU3] that starts elsewhere resets the screen, and reports what is lost', () => {
    const { announces, happened, output } = viewer(5);
    announces({ from: 100, to: 100, lost: 95 });
    expect(happened()).toEqual([
      'reset {"kind":"delta","offset":100,"lost":95}',
      'size 80×24',
      expect.stringMatching('caught up'),
    ]);
    expect([output.next, output.lostBytes]).toEqual([100, 95]);
  });

  it('[OU2] shows nothing across a gap and nothing twice', () => {
    const { announces, happened, prints } = viewer(0);
    announces({ to: 0 });
    happened();
    prints(0, 'abc');
    prints(1, 'bcd');
    prints(0, 'abcd');
    prints(9, 'x');
    expect(happened()).toEqual(['abc', 'caught up', 'd', 'caught up', 'missed']);
  });

  it('is not caught up before it was announced, nor after it was abandoned', () => {
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

describe('a snapshot replay', () => {
  it('[OU8] is shown as a whole, then what arrived meanwhile', async () => {
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

  it('of zero bytes is shown at once', async () => {
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

  it('[OU8] that is cut off in the middle, or replaced while it is inflated, is never shown', async () => {
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

  it('[OU15] is shown before the history that follows it', async () => {
    const seen = Promise.withResolvers<void>();
    const { announces, happened, parses, prints, sends } = viewer(undefined, () => seen.promise);
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 6 });
    sends('snapshot', 0, bytes('screen'));
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 11, history: true });
    sends('snapshot', 0, bytes('history and'));
    prints(10, ' more');
    await settled();
    parses();
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":10,"lost":0}',
      'size 80×24',
      'screen',
      'caught up, news',
      'ack 10',
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

  it('[OU15] with its history does not change what was lost', () => {
    const { announces, output } = viewer(3);
    announces({ from: 10, to: 10, lost: 7 });
    announces({ kind: 'snapshot', from: 10, to: 10, lost: 0, bytes: 4, history: true });
    expect(output.lostBytes).toBe(7);
  });
});

describe('received data', () => {
  it('[OU13] is not shown while nobody listens', () => {
    const { announces, happened, owner, prints, sends } = viewer(0);
    announces({ to: 0 });
    happened();
    owner.isListening = false;
    prints(0, 'abc');
    sends('resize', 0, encodeSize(SIZE));
    expect(happened()).toEqual([]);
  });

  it('[OU7] with a resize changes the size', () => {
    const { happened, sends } = viewer(0);
    sends('resize', 0, encodeSize({ cols: 132, rows: 43 }));
    sends('ack', 0, bytes(''));
    expect(happened()).toEqual(['size 132×43']);
  });

  it('[OU4] is acknowledged when it has been parsed: at once if requested, else after a quiet period', () => {
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

  it('[OU4] is not acknowledged while detached, nor once a new replay has begun', () => {
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

describe('a snapshot in parts', () => {
  it('is complete with its last byte', () => {
    const snapshot = new IncomingSnapshot(6, 50, SIZE);
    expect([
      snapshot.add(0, bytes('abc')),
      snapshot.add(3, bytes('de')),
      snapshot.add(5, bytes('f')),
    ]).toEqual([false, false, true]);
    expect(new TextDecoder().decode(snapshot.bytes)).toBe('abcdef');
  });

  it.each([
    ['out of order', 3, 'x'],
    ['again', 0, 'x'],
    ['beyond the end', 2, 'xxxxx'],
  ])('[WF9] accepts no part %s', (_, offset, piece) => {
    const snapshot = new IncomingSnapshot(6, 50, SIZE);
    snapshot.add(0, bytes('ab'));
    expect(() => snapshot.add(offset, bytes(piece))).toThrow(
      `a piece of a snapshot at ${offset}, where 2 was due`,
    );
  });

  it('[SEC10] [X2] is not allocated beyond the limit', () => {
    const most = SNAPSHOT_MAX_BYTES;
    expect(new IncomingSnapshot(most, 0, SIZE).bytes).toHaveLength(most);
    expect(() => new IncomingSnapshot(most + 1, 0, SIZE)).toThrow(`a snapshot of ${most + 1} bytes`);
  });

  it('[X2] that cannot be inflated ends the connection, and shows nothing', async () => {
    const { output, happened, sends } = viewer(undefined, undefined, async () => {
      throw new ProtocolError('a snapshot of over 5 bytes when inflated');
    });
    output.replayBegins({ ...SCROLLBACK, kind: 'snapshot', bytes: 2 });
    sends('snapshot', 0, bytes('ab'));
    await settled();
    expect(happened()).toEqual(['broken: a snapshot of over 5 bytes when inflated']);
  });

  it('[X2] [RL23] keeps what follows it waiting, up to a limit', () => {
    const { output, sends } = viewer();
    output.replayBegins({ ...SCROLLBACK, kind: 'snapshot', bytes: 2 });
    expect(sentUntilRefused((sent) => sends('output', sent, PIECE))).toBeLessThanOrEqual(MOST_PIECES);
  });
});

const PIECE = new Uint8Array(PAYLOAD_MAX_BYTES - QUEUED_ITEM_BYTES);
const MOST_PIECES = FOLLOW_QUEUE_MAX_BYTES / PAYLOAD_MAX_BYTES + 1;

/** How often something can be sent before the limit. */
function sentUntilRefused(send: (offset: number) => void): number {
  for (let times = 0; times < 10 * (FOLLOW_QUEUE_MAX_BYTES / QUEUED_ITEM_BYTES); times++) {
    try {
      send(times * PIECE.length);
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolError);
      return times;
    }
  }
  throw new Error('it is never too much');
}

describe('a screen that does not show its output', () => {
  const MOST_ITEMS = FOLLOW_QUEUE_MAX_BYTES / QUEUED_ITEM_BYTES;

  it('[RL23] receives output up to a limit', () => {
    const { announces, sends } = viewer(0);
    announces({ to: 0 });
    expect(sentUntilRefused((offset) => sends('output', offset, PIECE))).toBeLessThanOrEqual(MOST_PIECES);
  });

  it('[RL23] receives as much again each time it has shown it', () => {
    const { announces, sends, parses, happened } = viewer(0);
    announces({ to: 0 });
    for (let times = 0; times < 3 * MOST_PIECES; times++) {
      sends('output', times * PIECE.length, PIECE);
      sends('resize', 0, encodeSize(SIZE));
      if (times % 100 === 0) parses();
    }
    expect(happened()).not.toContain('fell behind');
  });

  it.each([
    ['short frames', (to: ReturnType<typeof viewer>, times: number) => to.prints(times, 'x')],
    [
      'sizes',
      (to: ReturnType<typeof viewer>, times: number) =>
        to.sends('resize', 0, encodeSize({ cols: 2 + (times % 9), rows: 24 })),
    ],
    [
      'beginnings',
      (to: ReturnType<typeof viewer>, times: number) => to.announces({ from: times * 7, to: times * 7 }),
    ],
  ])('[RL23] receives %s up to a limit', (_, send) => {
    const to = viewer(0);
    to.announces({ to: 0 });
    let times = 0;
    expect(sentUntilRefused(() => send(to, times++))).toBeLessThanOrEqual(MOST_ITEMS);
  });

  it.each([
    ['empty frames', (to: ReturnType<typeof viewer>) => to.prints(0, '')],
    [
      'announced histories',
      (to: ReturnType<typeof viewer>) => to.announces({ kind: 'snapshot', bytes: 0, history: true }),
    ],
  ])('[RL23] keeps %s waiting behind a snapshot, up to a limit', (_, send) => {
    const to = viewer(0);
    to.announces({ kind: 'snapshot', bytes: 1000 });
    expect(sentUntilRefused(() => send(to))).toBeLessThanOrEqual(MOST_ITEMS);
  });

  it('[RL23] acknowledges resizes, even if no output follows them', () => {
    const { announces, sends, parses, happened } = viewer(0);
    announces({ to: 0 });
    for (let times = 0; times < 2 * MOST_ITEMS; times++) {
      sends('resize', 0, encodeSize(SIZE));
      if (times % 1000 === 0) parses();
    }
    expect(happened()).not.toContain('fell behind');
  });

  it('[RL23] is not asked for its progress between the beginning of a snapshot and the snapshot', async () => {
    for (let sizes = 60; sizes < 68; sizes++) {
      const { announces, sends, happened } = viewer(0);
      for (let times = 0; times < sizes; times++) sends('resize', 0, encodeSize(SIZE));
      announces({ kind: 'snapshot', bytes: 6 });
      sends('snapshot', 0, bytes('screen'));
      await settled();
      const told = happened();
      expect(told[told.findIndex((what) => what.startsWith('reset')) + 2]).toBe('screen');
    }
  });

  it('[RL23] lets the agent finish a snapshot that it has begun to send', () => {
    const { announces, sends, happened } = viewer(0);
    announces({ kind: 'snapshot', bytes: 6 });
    for (let times = 0; times < MOST_PIECES - 2; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened()).not.toContain('fell behind');
  });

  it.each([
    ['known', 0, []],
    ['new', 10, ['xxx']],
  ])('[RL23] keeps up if what waited for a snapshot is %s', async (_, from, shows) => {
    const { announces, output, owner, parses, prints, sends, happened } = viewer(0);
    for (const picture of ['first', 'second']) {
      announces({ kind: 'snapshot', from: 10, to: 10, bytes: picture.length });
      sends('snapshot', 0, bytes(picture));
      await settled();
    }
    prints(from, 'xxx');
    while (!output.isBehind) prints(from, '');
    announces({ kind: 'snapshot', from: 9, to: 9, bytes: 5, history: true });
    happened();
    owner.isAttached = false;
    parses();
    await settled();
    expect(
      happened()
        .slice(2)
        .filter((what) => !what.startsWith('caught')),
    ).toEqual(['second', ...shows, 'kept up']);
  });

  it('[RL23] drops what waited once it has asked again', async () => {
    const { announces, output, owner, prints, sends } = viewer(0);
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 6 });
    sends('snapshot', 0, bytes('screen'));
    prints(10, 'xxx');
    while (!output.isBehind) prints(10, '');
    announces({ kind: 'snapshot', from: 9, to: 9, bytes: 5, history: true });
    owner.isQuick = true;
    owner.keptUp = () => {
      output.forgetReplay();
      owner.isListening = false;
    };
    await settled();
    output.forgetReplay(); // and no history is in flight
    expect(output.resumesFrom).toBe(13);
  });

  it('[RL23] counts nothing of a replay that is no longer awaited', async () => {
    const { announces, output, sends, happened } = viewer(0);
    for (const from of [0, 1]) {
      announces({ kind: 'snapshot', from, to: from, bytes: 1 });
      sends('snapshot', 0, bytes('x'));
      await settled();
    }
    // The second one waits until the first is shown, and so does what follows.
    for (let times = 0; times < MOST_PIECES - 2; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened()).toContain('fell behind');
    output.forgetReplay();
    expect(output.isBehind).toBe(false);
  });

  it('[RL23] makes the agent stop in time, and continue when half of it is shown', () => {
    const { announces, output, owner, sends, parses, happened } = viewer(0);
    announces({ to: 0 });
    const enough = SCREEN_BEHIND_BYTES / PAYLOAD_MAX_BYTES;
    for (let times = 0; times < enough - 1; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened()).not.toContain('fell behind');
    for (let times = enough - 1; times < enough + 8; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened().filter((what) => what.startsWith('fell'))).toEqual(['fell behind']);
    expect(output.isBehind).toBe(true);
    owner.isAttached = false;
    parses();
    expect(happened()).toEqual(['kept up']);
    expect(output.isBehind).toBe(false);
  });

  it('[RL23] receives one snapshot at a time: the next one stays compressed', async () => {
    const unpacked: number[] = [];
    const { announces, happened, parses, sends } = viewer(undefined, undefined, async (found) => {
      unpacked.push(found.length);
      return found;
    });
    for (const [at, picture] of ['first', 'second', 'the third'].entries()) {
      announces({ kind: 'snapshot', from: at, to: at, bytes: picture.length });
      sends('snapshot', 0, bytes(picture));
      await settled();
    }
    expect(unpacked).toEqual([5]);
    expect(happened()).toContain('first');
    parses();
    await settled();
    // The one in between was replaced before it could be shown.
    expect(unpacked).toEqual([5, 9]);
    expect(happened()).toContain('the third');
  });

  it('[RL23] [WF9] ends the connection for an error that is found only after a snapshot', async () => {
    const { announces, happened, sends } = viewer();
    announces({ kind: 'snapshot', bytes: 1 });
    announces({ kind: 'snapshot', bytes: SNAPSHOT_MAX_BYTES + 1, history: true });
    sends('snapshot', 0, bytes('x'));
    await settled();
    expect(happened().at(-1)).toBe(`broken: a snapshot of ${SNAPSHOT_MAX_BYTES + 1} bytes`);
  });
});
