/** How many requests of one token may wait. */
import { describe, expect, it } from 'vitest';
import { TOKEN_CLIENTS_MAX, TOKEN_WAITS_MAX } from '../../../../protocol/limits.ts';
import { WaitingSeats } from '../../../../worker/api/link/waiting-seats.ts';

describe('requests that wait', () => {
  it.each(['operator', 'viewer'] as const)('[RL24] [A1] are limited for each token of an %s', (role) => {
    const seats = new WaitingSeats();
    const owner = { role, tokenId: 't' };
    const leaves = Array.from({ length: TOKEN_WAITS_MAX[role] }, () => seats.enter('w', owner));
    expect(() => seats.enter('w', owner)).toThrow(/already has \d+ requests that wait/);
    seats.enter('w', { role, tokenId: 'other' });
    seats.enter('other', owner);
    leaves[0]?.();
    leaves[0]?.();
    seats.enter('w', owner);
    expect(() => seats.enter('w', owner), 'an end counts once').toThrow();
  });

  it('leave connections of their token to pages', () => {
    expect(TOKEN_WAITS_MAX.operator).toBeLessThanOrEqual(TOKEN_CLIENTS_MAX.operator / 2);
    expect(TOKEN_WAITS_MAX.viewer).toBeLessThanOrEqual(TOKEN_CLIENTS_MAX.viewer / 2);
  });
});
