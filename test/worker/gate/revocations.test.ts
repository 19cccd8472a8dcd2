/** What a revocation closes and refuses, on real sockets, and how it is listed and undone. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CLOCK_SKEW_MAX_S, REVOCATIONS_MAX, REVOCATIONS_PAGE_MAX } from '../../../protocol/limits.ts';
import type { RevocationList } from '../../../worker/registry/revocation.ts';
import { attachClient, connectAgent, connectClient, questioned } from '../../support/relay-story.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { bearer, jtiOf, requestsTo } from './token-requests.ts';

const relays = sharedRelays();

describe('a revocation', () => {
  let own: TestRelay;
  let operator: string;
  beforeEach(async () => {
    own = await relays.start();
    operator = await own.token('operator');
  });
  const { at, post, status } = requestsTo(() => own);
  const revoke = (body: object) => post('/revocations', bearer(operator), body, own);
  // Made when it is needed: a revocation by time also revokes the one above.
  const laterOperator = () => own.mint({ role: 'operator', issuedAt: Math.ceil(Date.now() / 1000) + 1 });
  const list = async (query = '') => {
    const response = await fetch(at(`/revocations${query}`, own), { headers: bearer(await laterOperator()) });
    return (await response.json()) as RevocationList;
  };
  const undo = async (jti: string) =>
    fetch(at(`/revocations/${jti}`, own), { method: 'DELETE', headers: bearer(await laterOperator()) });

  it.each([
    ['awake', false],
    ['asleep', true],
  ])(
    '[F25] [GT8] closes live sockets at once although the object is %s, and reports the client once',
    async (_, asleep) => {
      const agent = await connectAgent(own);
      const token = await own.token('operator');
      const [stolen, other] = [await connectClient(own, 'operator', token), await attachClient(own, agent)];
      if (asleep) await own.evict('hibernate');
      expect((await revoke({ jti: jtiOf(token) })).status).toBe(204);
      expect(await stolen.closed).toEqual({ code: 4401, reason: 'The token has been revoked.' });
      await agent.message('client_dropped');
      expect(await questioned(agent)).toEqual({ clients: [other.channel], before: [] });
    },
  );

  it('[SEC1] [GT8] is permanent: the object refuses the token after any eviction, on sockets and over HTTP', async () => {
    const token = await own.token('operator');
    await revoke({ jti: jtiOf(token) });
    await own.evict('close');
    await expect(connectClient(own, 'operator', token)).rejects.toThrow('401');
    for (const path of ['/health', '/sessions']) {
      const response = await fetch(at(path, own), { headers: bearer(token) });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 'unauthorized' } });
    }
    expect((await post('/login', bearer(token), {}, own)).status).toBe(401);
    expect((await post('/tickets', bearer(token), {}, own)).status).toBe(401);
    expect((await post('/revocations', bearer(token), { jti: 'another-one' }, own)).status).toBe(401);
    expect(await status(operator, own)).toBe(200);
  });

  it("[GT8] by time revokes everything issued before it, including the agent's token", async () => {
    const agent = await connectAgent(own);
    const client = await connectClient(own);
    const later = new Date(Date.now() + 2_000);
    expect((await revoke({ before: later.toISOString() })).status).toBe(204);
    expect((await agent.closed).code).toBe(4401);
    expect((await client.closed).code).toBe(4401);
    expect(await status(operator, own)).toBe(401);
    // An earlier time, sent later, restores nothing that was revoked.
    expect(await own.sql("SELECT value FROM facts WHERE name = 'revoked_before'")).toEqual([
      [{ value: later.getTime() }],
    ]);
  });

  it('[GT8] accepts seconds as well, and refuses other values', async () => {
    expect((await revoke({ before: Math.floor(Date.now() / 1000) - 3600 })).status).toBe(204);
    for (const body of [{}, { jti: '' }, { before: 'yesterday' }, { jti: 'long-enough', before: 1 }, []]) {
      expect((await revoke(body)).status, JSON.stringify(body)).toBe(400);
    }
  });

  it('[X12] [GT8] by a time ahead of the clock is refused, within the allowed clock skew it is not', async () => {
    const ahead = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    const refused = await revoke({ before: ahead(CLOCK_SKEW_MAX_S + 30) });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringMatching(/at most 300 s ahead/) },
    });
    expect((await revoke({ before: '2999-01-01T00:00:00Z' })).status).toBe(400);
    expect(await status(operator, own), 'nothing was revoked').toBe(200);
    expect((await revoke({ before: ahead(CLOCK_SKEW_MAX_S - 30) })).status).toBe(204);
  });

  it('[SEC16] [X12] [GT8] by time does not affect new tokens: nobody is locked out for good', async () => {
    const past = await own.mint({ role: 'operator', issuedAt: Math.floor(Date.now() / 1000) - 60 });
    expect((await revoke({ before: Math.floor(Date.now() / 1000) - 1 })).status).toBe(204);
    expect(await status(past, own)).toBe(401);
    expect(await status(await own.token('operator'), own)).toBe(200);
  });

  it('[X12] [GT8] by a time far ahead that an earlier version stored counts as now', async () => {
    await own.sql("INSERT OR REPLACE INTO facts (name, value) VALUES ('revoked_before', 32503680000000)");
    expect(await status(operator, own)).toBe(401);
    await own.evict('close');
    expect(await status(operator, own), 'made before now').toBe(401);
    const fresh = await own.mint({ role: 'operator', issuedAt: Math.ceil(Date.now() / 1000) + 1 });
    expect(await status(fresh, own)).toBe(200);
  });

  it('[X12] [GT8] by name is not undone by a later time, although the token claims to be issued after both', async () => {
    const token = await own.token('operator');
    await revoke({ jti: jtiOf(token) });
    await own.sql(`UPDATE revocations SET recorded_at = ${Date.now() - 86_400_000}`);
    await revoke({ before: Math.floor(Date.now() / 1000) - 60 });
    expect(await status(token, own)).toBe(401);
  });

  it('[X12] [GT8] is kept until its token has expired, and forever if its expiry is unknown', async () => {
    const exp = Math.floor(Date.now() / 1000) + 3600;
    await revoke({ jti: 'with-exp-1', exp });
    await revoke({ jti: 'without-exp' });
    await own.advance((3600 + CLOCK_SKEW_MAX_S - 60) * 1000);
    await revoke({ jti: 'later-one-1' });
    const names = async () => (await list()).revocations.map(({ jti }) => jti);
    expect(await names()).toEqual(['later-one-1', 'with-exp-1', 'without-exp']);
    await own.advance(120_000);
    await revoke({ jti: 'later-one-2' });
    expect(await names()).toEqual(['later-one-1', 'later-one-2', 'without-exp']);
  });

  it('[X12] [GT8] is permanent if the same name is revoked again without an expiry', async () => {
    await revoke({ jti: 'some-token', exp: Math.floor(Date.now() / 1000) + 60 });
    await revoke({ jti: 'some-token' });
    expect((await list()).revocations).toMatchObject([{ jti: 'some-token', expiresAt: null }]);
  });

  it('[X12] [GT8] is listed, and undone by name and by time', async () => {
    const token = await own.mint({ role: 'operator', issuedAt: Math.floor(Date.now() / 1000) - 60 });
    const before = new Date(Date.now() - 30_000).toISOString();
    await revoke({ jti: jtiOf(token) });
    await revoke({ before });
    expect(await list()).toEqual({
      before,
      revocations: [{ jti: jtiOf(token), revokedAt: expect.any(String), expiresAt: null }],
      next: null,
    });
    expect((await undo(jtiOf(token))).status).toBe(204);
    expect(await status(token, own), 'still by the moment').toBe(401);
    expect((await undo('before')).status).toBe(204);
    expect(await status(token, own)).toBe(200);
    expect(await list()).toEqual({ before: null, revocations: [], next: null });
    expect((await undo('before')).status).toBe(404);
    expect((await undo(jtiOf(token))).status).toBe(404);
  });

  it('[X12] lists have pages, and one entry too many for a page is on the next', async () => {
    const rows = Array.from(
      { length: REVOCATIONS_PAGE_MAX + 1 },
      (_, i) => `('token-${String(i).padStart(4, '0')}', 1)`,
    );
    await own.sql(`INSERT INTO revocations (jti, recorded_at) VALUES ${rows.join(', ')}`);
    const first = await list();
    expect(first.revocations).toHaveLength(REVOCATIONS_PAGE_MAX);
    expect(first.next).toBe('token-0099');
    const second = await list(`?after=${first.next}`);
    expect(second).toMatchObject({ revocations: [{ jti: 'token-0100' }], next: null });
  });

  it('[X12] beyond the limit gets 409 and says what to do; a name already listed does not', async () => {
    await own.sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${REVOCATIONS_MAX})
       INSERT INTO revocations (jti, recorded_at) SELECT 'token-' || i, 1 FROM n`,
    );
    const refused = await revoke({ jti: 'one-too-many' });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: 'revocation_limit' } });
    expect((await revoke({ jti: 'token-1000' })).status).toBe(204);
  });
});
