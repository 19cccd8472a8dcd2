/** Who has read too little: the running sums say what counting all connections would. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { READ_CHECK_EVERY_BYTES, TOKEN_UNREAD_MAX_BYTES, UNREAD_MAX_BYTES } from '../../protocol/limits.ts';
import type { Owner } from '../../worker/owner.ts';
import { Unread } from '../../worker/unread.ts';
import { seededRandom } from '../support/seeded-random.ts';

const MIB = 1024 * 1024;
const owner = (role: Owner['role'], tokenId = 't'): Owner => ({ role, tokenId });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('what was sent and not read', () => {
  it.each(['viewer', 'operator', 'agent'] as const)(
    '[X4] [RL25] of the token of one %s may be so much, and not a byte more',
    (role) => {
      const unread = new Unread<string>();
      unread.opened('idle', owner(role));
      unread.sent('idle', READ_CHECK_EVERY_BYTES + TOKEN_UNREAD_MAX_BYTES[role]);
      expect(unread.overdue).toBeNull();
      unread.sent('idle', 1);
      expect(unread.overdue).toBe('idle');
    },
  );

  it('[X4] [RL25] of all may be so much, and not a byte more', () => {
    const unread = new Unread<string>();
    for (const token of ['a', 'b', 'c']) {
      unread.opened(token, owner('operator', token));
      unread.sent(token, READ_CHECK_EVERY_BYTES + UNREAD_MAX_BYTES / 3);
    }
    expect(unread.overdue).toBeNull();
    unread.sent('b', 1);
    expect(unread.overdue).toBe('b');
  });

  it('[X9] [RL17] is not counted anew with every message while somebody has been closed and has not ended', () => {
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

  it('[X4] [RL25] [RL26] ends where it began when everybody has gone, in whatever order', () => {
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
      const excess = [...open.keys()].map((one) =>
        Math.max(0, (held.get(one) ?? 0) - READ_CHECK_EVERY_BYTES),
      );
      expect(unread.excessBytes).toBe(excess.reduce((sum, one) => sum + one, 0));
      expect(unread.closingBytes).toBe([...closing.values()].reduce((sum, { bytes }) => sum + bytes, 0));
      const overdue = unread.overdue;
      if (overdue !== null && whose !== undefined) expect(open.has(overdue)).toBe(true);
    }
    for (const one of [...open.keys(), ...closing.keys()]) unread.ended(one);
    expect([unread.excessBytes, unread.closingBytes, unread.tokens]).toEqual([0, 0, 0]);
  });
});
