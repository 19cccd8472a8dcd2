import { describe, expect, it } from 'vitest';
import {
  REQUEST_WAIT_MAX_MS,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_PER_S_MAX,
  REQUESTS_WAITING_MAX,
} from '../../../protocol/limits.ts';
import { RequestPace } from '../../../worker/metering/request-pace.ts';
import type { Owner } from '../../../worker/peers/owner.ts';

const owner = (tokenId: string): Owner => ({ role: 'viewer', tokenId });

/** What one token may have before it is refused: those at once, and those that wait. */
const MOST = REQUESTS_AT_ONCE_MAX + (REQUESTS_PER_S_MAX * REQUEST_WAIT_MAX_MS) / 1000;

describe('the requests of a token', () => {
  it('[X9] [RL24] are worked on at once when they are few', () => {
    const pace = new RequestPace();
    for (let i = 0; i < REQUESTS_AT_ONCE_MAX; i++)
      expect(pace.enter(owner('t'), 0)).toEqual({ ok: true, waitMs: 0 });
  });

  it('[X9] [RL24] come one after the other when they are many', () => {
    const pace = new RequestPace();
    const turns = Array.from({ length: REQUESTS_AT_ONCE_MAX + 3 }, () => pace.enter(owner('t'), 0));
    const apart = 1000 / REQUESTS_PER_S_MAX;
    expect(turns.slice(-3)).toEqual([1, 2, 3].map((nth) => ({ ok: true, waitMs: nth * apart })));
    expect(pace.enter(owner('other'), 0)).toEqual({ ok: true, waitMs: 0 });
  });

  it('[X9] [RL24] are refused when one more would wait for too long, which costs nothing', () => {
    const pace = new RequestPace();
    for (let i = 0; i <= MOST; i++) expect(pace.enter(owner('t'), 0).ok).toBe(true);
    for (let i = 0; i < 100; i++)
      expect(pace.enter(owner('t'), 0)).toEqual({
        ok: false,
        retryAfterMs: REQUEST_WAIT_MAX_MS + 1000 / REQUESTS_PER_S_MAX,
      });
    expect(pace.enter(owner('t'), 1000 / REQUESTS_PER_S_MAX).ok).toBe(true);
  });

  it('[X9] [RL24] wait in a bounded number, all tokens together', () => {
    const pace = new RequestPace();
    for (let i = 0; i < 20 * REQUESTS_AT_ONCE_MAX + REQUESTS_WAITING_MAX + 20; i++)
      pace.enter(owner(`t${i % 20}`), 0);
    expect(pace.enter(owner('t0'), 0)).toEqual({ ok: false, retryAfterMs: REQUEST_WAIT_MAX_MS });
    expect(pace.enter(owner('new'), 0)).toEqual({ ok: true, waitMs: 0 });
    expect(pace.enter(owner('t0'), REQUEST_WAIT_MAX_MS).ok).toBe(true);
  });

  it.each([
    ['MiB that are inflated for them', { inflatedBytes: REQUESTS_AT_ONCE_MAX * 2 ** 20 }],
    ['hundred entries of the audit trail', { auditEntries: REQUESTS_AT_ONCE_MAX * 100 }],
  ])('[X2] [RL24] cost more with %s', (_, work) => {
    const pace = new RequestPace();
    pace.charge(owner('t'), work, 0);
    expect(pace.enter(owner('t'), 0)).toEqual({ ok: true, waitMs: 1000 / REQUESTS_PER_S_MAX });
  });
});
