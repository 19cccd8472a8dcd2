/** Which connection is admitted: the limits of the workspace, of viewers, and of one token. */
import { describe, expect, it } from 'vitest';
import { CLIENTS_MAX, TOKEN_CLIENTS_MAX, VIEWERS_MAX } from '../../../protocol/limits.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { type ClientSeat, seatRefusal } from '../../../worker/peers/seats.ts';

const seats = (count: number, role: ClientRole, token?: string): ClientSeat[] =>
  Array.from({ length: count }, (_, i) => ({ role, tokenId: token ?? `${role}-${i}` }));

describe('a place for a connection', () => {
  it.each([
    ['a viewer one below the limit', seats(VIEWERS_MAX - 1, 'viewer'), 'viewer', 'mine', null],
    ['a viewer at the limit', seats(VIEWERS_MAX, 'viewer'), 'viewer', 'mine', /150 viewers/],
    ['an operator with all viewers connected', seats(VIEWERS_MAX, 'viewer'), 'operator', 'mine', null],
    ['the last operator', seats(CLIENTS_MAX - 1, 'operator'), 'operator', 'mine', null],
    ['one operator too many', seats(CLIENTS_MAX, 'operator'), 'operator', 'mine', /200 clients/],
    [
      'the last connection of a viewer token',
      seats(TOKEN_CLIENTS_MAX.viewer - 1, 'viewer', 'mine'),
      'viewer',
      'mine',
      null,
    ],
    [
      'one more connection of it',
      seats(TOKEN_CLIENTS_MAX.viewer, 'viewer', 'mine'),
      'viewer',
      'mine',
      /at most 32/,
    ],
    [
      'another token at the same time',
      seats(TOKEN_CLIENTS_MAX.viewer, 'viewer', 'mine'),
      'viewer',
      'other',
      null,
    ],
    ['the last connection of an operator token', seats(63, 'operator', 'mine'), 'operator', 'mine', null],
    ['one more connection of it', seats(64, 'operator', 'mine'), 'operator', 'mine', /at most 64/],
    ['a viewer ticket of the same token', seats(32, 'operator', 'mine'), 'viewer', 'mine', /at most 32/],
  ] as const)('[X8] for %s', (_, seated, role, tokenId, refusal) => {
    const why = seatRefusal(seated, { role, tokenId });
    if (refusal === null) expect(why).toBeNull();
    else expect(why).toMatch(refusal);
    expect(why?.length ?? 0).toBeLessThanOrEqual(123); // a close reason
  });

  it.each([
    ['of a token that has one left', 'viewer', 'mine', seats(16, 'viewer', 'mine'), 15, null],
    ['of a token that has none left', 'viewer', 'mine', seats(16, 'viewer', 'mine'), 16, /at most 32/],
    [
      'of an operator that has none left',
      'operator',
      'mine',
      seats(40, 'operator', 'mine'),
      24,
      /at most 64/,
    ],
    ['of viewers that have one left', 'viewer', undefined, seats(100, 'viewer'), 49, null],
    ['of viewers that have none left', 'viewer', undefined, seats(100, 'viewer'), 50, /150 viewers/],
    ['of others, for one more operator', 'operator', undefined, seats(199, 'operator'), 50, null],
  ] as const)(
    '[X8] [RL26] is taken by closed connections that have not ended: %s',
    (_, role, token, seated, closed, refusal) => {
      const why = seatRefusal(seated, { role, tokenId: token ?? 'new' }, seats(closed, role, token));
      if (refusal === null) expect(why).toBeNull();
      else expect(why).toMatch(refusal);
    },
  );
});
