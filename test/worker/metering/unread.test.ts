/** Who has read too little: the running sums equal a count over all connections. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  CLOSING_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  READ_CHECK_EVERY_BYTES,
  TOKEN_CLIENTS_MAX,
  TOKEN_UNREAD_MAX_BYTES,
  UNREAD_MAX_BYTES,
  VIEWER_READ_CHECK_EVERY_BYTES,
  VIEWERS_MAX,
} from '../../../protocol/limits.ts';
import { Unread } from '../../../worker/metering/unread.ts';
import type { Owner } from '../../../worker/peers/owner.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const MIB = 1024 * 1024;
const checkEvery = ({ role }: Owner) =>
  role === 'viewer' ? VIEWER_READ_CHECK_EVERY_BYTES : READ_CHECK_EVERY_BYTES;
const owner = (role: Owner['role'], tokenId = 't'): Owner => ({ role, tokenId });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('unread data', () => {
  it.each(['viewer', 'operator', 'agent'] as const)(
    '[X4] [RL25] of the token of one %s is limited, to the byte',
    (role) => {
      const unread = new Unread<string>();
      unread.opened('idle', owner(role));
      unread.sent('idle', checkEvery(owner(role)) + TOKEN_UNREAD_MAX_BYTES[role]);
      expect(unread.overdue).toBeNull();
      unread.sent('idle', 1);
      expect(unread.overdue).toBe('idle');
    },
  );

  it('[X4] [RL25] of all is limited, to the byte', () => {
    const unread = new Unread<string>();
    for (const token of ['a', 'b', 'c']) {
      unread.opened(token, owner('operator', token));
      unread.sent(token, READ_CHECK_EVERY_BYTES + UNREAD_MAX_BYTES / 3);
    }
    expect(unread.overdue).toBeNull();
    unread.sent('b', 1);
    expect(unread.overdue).toBe('b');
  });

  it('[X9] [RL17] is not recounted with every message while a closed connection has not ended', () => {
    const unread = new Unread<number>();
    for (let i = 0; i < 64; i++) unread.opened(i, owner('operator', `t${i}`));
    for (let i = 0; i < 3; i++) unread.sent(i, 3 * MIB);
    unread.closed(0, owner('operator', 't0'));
    const walks = [
      vi.spyOn(Map.prototype, Symbol.iterator),
      vi.spyOn(Map.prototype, 'entries'),
      vi.spyOn(Map.prototype, 'values'),
      vi.spyOn(Map.prototype, 'forEach'),
    ];
    for (let i = 0; i < 64; i++) {
      unread.sent(i, 1);
      expect(unread.overdue).toBeNull();
    }
    expect(walks.map((walk) => walk.mock.calls.length)).toEqual([0, 0, 0, 0]);
  });

  it('[X4] [RL25] [RL26] is zero again when everybody has left, in any order', () => {
    const random = seededRandom(20_261_117);
    const unread = new Unread<number>();
    const open = new Map<number, Owner>();
    const closing = new Map<number, { owner: Owner; bytes: number }>();
    const held = new Map<number, number>();
    for (let step = 0; step < 5000; step++) {
      const somebody = random.pick([...open.keys(), -1]);
      const whose = open.get(somebody);
      const act = random.int(0, 6);
      if (act === 0 && open.size < 40) {
        const newcomer = owner(random.pick(['viewer', 'operator']), `t${random.int(0, 3)}`);
        open.set(step, newcomer);
        held.set(step, 0);
        unread.opened(step, newcomer);
      } else if (act === 1 && whose !== undefined) {
        closing.set(somebody, { owner: whose, bytes: unread.closed(somebody, whose) });
        expect(closing.get(somebody)?.bytes).toBe(held.get(somebody));
        open.delete(somebody);
      } else if (act === 2) {
        const gone = random.pick([...open.keys(), ...closing.keys(), -1]);
        unread.ended(gone);
        open.delete(gone);
        closing.delete(gone);
      } else if (whose !== undefined) {
        const bytes = random.int(0, MIB);
        unread.sent(somebody, bytes);
        held.set(somebody, (held.get(somebody) ?? 0) + bytes);
      }
      const excess = [...open].map(([one, whose]) => Math.max(0, (held.get(one) ?? 0) - checkEvery(whose)));
      expect(unread.excessBytes).toBe(excess.reduce((sum, one) => sum + one, 0));
      expect(unread.closingBytes).toBe([...closing.values()].reduce((sum, { bytes }) => sum + bytes, 0));
      const overdue = unread.overdue;
      if (overdue !== null && whose !== undefined) expect(open.has(overdue)).toBe(true);
    }
    for (const one of [...open.keys(), ...closing.keys()]) unread.ended(one);
    expect([unread.excessBytes, unread.closingBytes, unread.tokens]).toEqual([0, 0, 0]);
  });
});

describe('unread data of closed connections', () => {
  const FRAME = PAYLOAD_MAX_BYTES + 64;

  /** Sends frames to each in the order of `next`, closes those that must be closed, and closes all in the end. */
  function most(connections: number, whose: (i: number) => Owner, next: Next) {
    const unread = new Unread<number>();
    const open = Array.from({ length: connections }, (_, i) => i);
    for (const i of open) unread.opened(i, whose(i));
    const close = (one: number) => {
      unread.closed(one, whose(one));
      open.splice(open.indexOf(one), 1);
    };
    for (let sent = 0; open.length > 0 && sent < 20_000; sent++) {
      unread.sent(next(open, sent), FRAME);
      const { overdue } = unread;
      if (overdue !== null) close(overdue);
    }
    for (const one of [...open]) close(one);
    return unread;
  }

  type Next = (open: readonly number[], sent: number) => number;
  const random = seededRandom(7);
  const WAYS: [string, Next][] = [
    ['one after the other', (open) => open[0] ?? 0],
    ['all alike', (open, sent) => open[sent % open.length] ?? 0],
    [
      'all a little, then one after the other',
      (open, sent) => open[sent < 1150 ? sent % open.length : 0] ?? 0,
    ],
    ['by chance', (open) => random.pick(open.slice(0, 12))],
  ];

  it.each(WAYS)('[X4] [RL26] of all viewers never causes all others to be closed: %s', (_, next) => {
    const unread = most(VIEWERS_MAX, (i) => owner('viewer', `t${i >> 5}`), next);
    expect(unread.closingBytes).toBeLessThan(CLOSING_MAX_BYTES);
    expect(unread.isTooMuchClosing).toBe(false);
  });

  it.each(WAYS)('[X4] [RL26] of one operator never causes all others to be closed: %s', (_, next) => {
    const unread = most(TOKEN_CLIENTS_MAX.operator, () => owner('operator'), next);
    expect(unread.closingBytes).toBeLessThan(CLOSING_MAX_BYTES);
    expect(unread.isTooMuchClosing).toBe(false);
  });

  it('[X4] [RL25] leaves a reading client a mebibyte, until it is very much', () => {
    const unread = new Unread<string>();
    unread.stillClosing('closed', owner('viewer', 'a'), TOKEN_UNREAD_MAX_BYTES.viewer);
    unread.opened('reader', owner('viewer', 'b'));
    unread.sent('reader', VIEWER_READ_CHECK_EVERY_BYTES + MIB);
    expect(unread.overdue).toBeNull();
    unread.sent('reader', 1);
    expect(unread.overdue).toBe('reader');
  });
});
