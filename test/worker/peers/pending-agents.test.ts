import { expect, it } from 'vitest';
import { PENDING_PINGS_MAX } from '../../../protocol/limits.ts';
import { PendingAgents } from '../../../worker/peers/pending-agents.ts';

it('[AK5] an agent that has not proven its key may send only a few heartbeats', () => {
  const pending = new PendingAgents<string>();
  for (let sent = 0; sent < PENDING_PINGS_MAX; sent++) expect(pending.mayPing('one')).toBe(true);
  expect(pending.mayPing('one')).toBe(false);
  expect(pending.mayPing('another')).toBe(true);
  pending.remove('one');
  expect(pending.mayPing('one')).toBe(true);
});
