/** Which credentials a revocation applies to, without an object: by name, and by the time they were made. */
import { describe, expect, it } from 'vitest';
import { concerns, isRevoked } from '../../../worker/registry/revocation.ts';

const credential = (tokenId: string, issuedAt: number) => ({ tokenId, issuedAt, expiresAt: 9e15 });

describe('a credential', () => {
  it.each([
    { tokenId: 'named', issuedAt: 5_000, isGone: true },
    { tokenId: 'other', issuedAt: 999, isGone: true },
    { tokenId: 'other', issuedAt: 1_000, isGone: false },
    { tokenId: 'named', issuedAt: 999, isGone: true },
  ])('[GT8] $tokenId of $issuedAt is revoked: $isGone', ({ tokenId, issuedAt, isGone }) => {
    const revocations = { before: 1_000, names: (id: string) => id === 'named' };
    expect(isRevoked(credential(tokenId, issuedAt), revocations)).toBe(isGone);
  });
});

describe('a revocation', () => {
  it.each([
    { revocation: { jti: 'one' }, tokenId: 'one', issuedAt: 0, isConcerned: true },
    { revocation: { jti: 'one' }, tokenId: 'two', issuedAt: 0, isConcerned: false },
    { revocation: { before: 1_000 }, tokenId: 'one', issuedAt: 999, isConcerned: true },
    { revocation: { before: 1_000 }, tokenId: 'one', issuedAt: 1_000, isConcerned: false },
  ])(
    '[GT8] $revocation applies to $tokenId of $issuedAt: $isConcerned',
    ({ revocation, tokenId, issuedAt, isConcerned }) => {
      expect(concerns(revocation, credential(tokenId, issuedAt))).toBe(isConcerned);
    },
  );
});
