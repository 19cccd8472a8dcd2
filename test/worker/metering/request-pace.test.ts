import { describe, expect, it } from 'vitest';
import {
  REQUEST_WAIT_MAX_MS,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_PER_S_MAX,
  REQUESTS_WAITING_MAX,
  WORKSPACE_REQUESTS_AT_ONCE_MAX,
  WORKSPACE_REQUESTS_PER_S_MAX,
  WORKSPACE_REQUESTS_WAITING_MAX,
} from '../../../protocol/limits.ts';
import type { Principal } from '../../../worker/gate/passage.ts';
import { askerOf } from '../../../worker/http/http.ts';
import { type RequestOwner, RequestPace } from '../../../worker/metering/request-pace.ts';

const owner = (tokenId: string, workspace = 'w'): RequestOwner => ({ role: 'viewer', tokenId, workspace });

/** The requests of one token before it is refused: those at once, and those that wait. */
const MOST = REQUESTS_AT_ONCE_MAX + (REQUESTS_PER_S_MAX * REQUEST_WAIT_MAX_MS) / 1000;

describe('the requests of a token', () => {
  it('[X9] [RL24] run at once if they are few', () => {
    const pace = new RequestPace();
    for (let i = 0; i < REQUESTS_AT_ONCE_MAX; i++)
      expect(pace.enter(owner('t'), 0)).toEqual({ ok: true, waitMs: 0 });
  });

  it('[X9] [RL24] run one after the other if they are many', () => {
    const pace = new RequestPace();
    const turns = Array.from({ length: REQUESTS_AT_ONCE_MAX + 3 }, () => pace.enter(owner('t'), 0));
    const apart = 1000 / REQUESTS_PER_S_MAX;
    expect(turns.slice(-3)).toEqual([1, 2, 3].map((nth) => ({ ok: true, waitMs: nth * apart })));
    expect(pace.enter(owner('other'), 0)).toEqual({ ok: true, waitMs: 0 });
  });

  it('[SEC21] [RL24] do not delay those of a token with the same id in another workspace', () => {
    const pace = new RequestPace();
    for (let i = 0; i < MOST; i++) pace.enter(owner('t'), 0);
    expect(pace.enter(owner('t', 'other'), 0)).toEqual({ ok: true, waitMs: 0 });
  });

  it('[X9] [RL24] are refused if one more would wait too long, which costs nothing', () => {
    const pace = new RequestPace();
    for (let i = 0; i <= MOST; i++) expect(pace.enter(owner('t'), 0).ok).toBe(true);
    for (let i = 0; i < 100; i++)
      expect(pace.enter(owner('t'), 0)).toEqual({
        ok: false,
        retryAfterMs: REQUEST_WAIT_MAX_MS + 1000 / REQUESTS_PER_S_MAX,
      });
    expect(pace.enter(owner('t'), 1000 / REQUESTS_PER_S_MAX).ok).toBe(true);
  });

  it('[X9] [RL24] that wait are limited over all tokens', () => {
    const pace = new RequestPace();
    for (let i = 0; i < 20 * REQUESTS_AT_ONCE_MAX + REQUESTS_WAITING_MAX + 20; i++)
      pace.enter(owner(`t${i % 20}`, `w${i % 20}`), 0);
    expect(pace.enter(owner('t0', 'w0'), 0)).toEqual({ ok: false, retryAfterMs: REQUEST_WAIT_MAX_MS });
    expect(pace.enter(owner('new', 'new'), 0)).toEqual({ ok: true, waitMs: 0 });
    expect(pace.enter(owner('t0', 'w0'), REQUEST_WAIT_MAX_MS).ok).toBe(true);
  });

  it.each([
    ['MiB that are inflated for them', { inflatedBytes: REQUESTS_AT_ONCE_MAX * 2 ** 20 }],
    ['hundred entries of the audit trail', { auditEntries: REQUESTS_AT_ONCE_MAX * 100 }],
    ['agents that connect', { agents: REQUESTS_AT_ONCE_MAX / 9 }],
    ['steps to compile a pattern', { patternSteps: REQUESTS_AT_ONCE_MAX * 70_000 }],
  ])('[X2] [RL24] cost more with %s', (_, work) => {
    const pace = new RequestPace();
    pace.charge(owner('t'), work, 0);
    expect(pace.enter(owner('t'), 0)).toEqual({ ok: true, waitMs: 1000 / REQUESTS_PER_S_MAX });
  });
});

describe('the requests of a workspace', () => {
  /** Each of its tokens asks once, for as many as there are. */
  const each = (pace: RequestPace, tokens: number, now = 0) =>
    Array.from({ length: tokens }, (_, i) => pace.enter(owner(`t${i}`), now));

  it('[SEC21] [X9] [RL24] run one after the other if they are many, with any number of tokens', () => {
    const pace = new RequestPace();
    const turns = each(pace, WORKSPACE_REQUESTS_AT_ONCE_MAX + 3);
    const apart = 1000 / WORKSPACE_REQUESTS_PER_S_MAX;
    const waits = [0, 1, 2, 3].map((nth) => ({ ok: true, waitMs: nth * apart }));
    expect(turns.slice(-4)).toEqual(waits);
  });

  it('[SEC21] [X9] [RL24] may be more than those of one token, and leave other workspaces and operators their share', () => {
    expect(WORKSPACE_REQUESTS_PER_S_MAX).toBeGreaterThan(REQUESTS_PER_S_MAX);
    const pace = new RequestPace();
    each(pace, 1_000);
    expect(pace.enter(owner('new'), 0).ok).toBe(false);
    expect(pace.enter(owner('theirs', 'other'), 0)).toEqual({ ok: true, waitMs: 0 });
    expect(pace.enter({ ...owner('new'), role: 'operator' }, 0)).toEqual({ ok: true, waitMs: 0 });
  });

  it('[SEC21] [RL24] that wait are a part of the maximum, so that others may wait too', () => {
    const pace = new RequestPace();
    const waiting = each(pace, 2_000).filter((turn) => turn.ok && turn.waitMs > 0);
    // The first that owes something has not waited yet when it is counted.
    expect(Math.abs(waiting.length - WORKSPACE_REQUESTS_WAITING_MAX)).toBeLessThanOrEqual(1);
    for (let i = 0; i < REQUESTS_AT_ONCE_MAX; i++) pace.enter(owner('theirs', 'other'), 0);
    expect(pace.enter(owner('theirs', 'other'), 0)).toMatchObject({ ok: true });
    expect(pace.enter(owner('theirs', 'other'), 0)).toMatchObject({ ok: true, waitMs: 20 });
  });

  it('[X2] [RL24] cost more depending on the work done for them', () => {
    const pace = new RequestPace();
    pace.charge(owner('a'), { inflatedBytes: WORKSPACE_REQUESTS_AT_ONCE_MAX * 2 ** 20 }, 0);
    expect(pace.enter(owner('b'), 0)).toEqual({ ok: true, waitMs: 1000 / WORKSPACE_REQUESTS_PER_S_MAX });
  });
});

it('[SEC21] [RL24] a request is counted for its token, in its role and workspace', () => {
  const caller = { role: 'viewer', credential: { tokenId: 't' } };
  const principal = { caller, workspace: 'w', claims: {} } as unknown as Principal;
  expect(askerOf(principal)).toEqual({ role: 'viewer', tokenId: 't', workspace: 'w' });
});

describe('the requests of the owner', () => {
  const at = (workspace: string) => {
    const caller = { role: 'operator', credential: { tokenId: 'owner' } };
    return { caller, workspace, claims: {}, kind: 'owner_cookie' } as unknown as Principal;
  };

  it('[X35] [SEC25] [RL24] are counted together, whichever workspaces they name', () => {
    const pace = new RequestPace();
    for (let i = 0; i <= MOST; i++) pace.enter(askerOf(at(`w${i}`)), 0);
    expect(pace.enter(askerOf(at('one-more')), 0).ok).toBe(false);
    expect(pace.enter(owner('t', 'w1'), 0)).toEqual({ ok: true, waitMs: 0 });
    const byKey = askerOf({ ...at('w1'), kind: 'owner' });
    expect(pace.enter(byKey, 0), 'who stole the cookie').toEqual({ ok: true, waitMs: 0 });
  });

  it.each([
    ['a workspace', { workspaces: 1 }, 9],
    ['a thousand machines', { machines: 1000 }, 20],
  ])('[X35] [SEC25] [RL24] cost more if they are for %s', (_, work, requests) => {
    const pace = new RequestPace();
    for (let i = 0; i < REQUESTS_AT_ONCE_MAX; i++) pace.enter(askerOf(at('')), 0);
    pace.charge(askerOf(at('')), work, 0);
    const waitMs = ((requests + 1) * 1000) / REQUESTS_PER_S_MAX;
    expect(pace.enter(askerOf(at('')), 0)).toEqual({ ok: true, waitMs });
  });
});

it('[X35] [SEC25] [RL24] requests with an invite that was used take nothing from those of the owner', () => {
  const caller = { role: 'operator', credential: { tokenId: 'owner' } };
  const principal = { caller, workspace: '', claims: {} } as unknown as Principal;
  const fleetCode = { id: 'invite', expiresAt: 0 };
  const pace = new RequestPace();
  while (pace.enter(askerOf({ ...principal, fleetCode }), 0).ok);
  expect(pace.enter(askerOf(principal), 0)).toEqual({ ok: true, waitMs: 0 });
});
