/** A page of the audit trail that nobody reads: it counts as held memory, as other long answers do. */
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { showAudit } from '../../../worker/api/audit.ts';
import { answerBudget } from '../../../worker/api/link/answer-budget.ts';
import type { Principal } from '../../../worker/gate/passage.ts';
import type { App } from '../../../worker/http/http.ts';

const ENTRIES = 500;

const principal = {
  workspace: 'w',
  claims: { ws: 'w', role: 'operator', exp: 1, jti: 'token-id' },
  caller: { role: 'operator', credential: { tokenId: 'token-id', issuedAt: 0, expiresAt: 1 } },
  kind: 'bearer',
} as Principal;

function audit(): Promise<Response> {
  const page = { entries: Array.from({ length: ENTRIES }, (_, id) => ({ id })), more: false };
  const object = { audit: async () => ({ ok: true, value: page }) };
  const app = new Hono<App>();
  app.use((c, next) => {
    c.set('principal', principal);
    return next();
  });
  app.get('/audit', showAudit);
  return Promise.resolve(
    app.request(`/audit?limit=${ENTRIES}`, {}, { WORKSPACE: { getByName: () => object } } as never),
  );
}

it('[RL21] [SEC21] a page of the audit trail counts as held until it was read or given up', async () => {
  const abandoned = await audit();
  const { body } = abandoned;
  expect(answerBudget.heldBytes).toBeGreaterThan(ENTRIES * '{"id":1}'.length);
  await body?.cancel();
  expect(answerBudget.heldBytes).toBe(0);
  const read = await audit();
  expect(((await read.json()) as { entries: unknown[] }).entries).toHaveLength(ENTRIES);
  expect(answerBudget.heldBytes).toBe(0);
});
