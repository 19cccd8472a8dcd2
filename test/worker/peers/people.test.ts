/** Who watches a session, by name, and who may know. */
import { describe, expect, it } from 'vitest';
import { PEOPLE_MAX, PERSON_NAME_MAX_CHARS } from '../../../protocol/limits.ts';
import type { ClientPeer } from '../../../worker/peers/peer.ts';
import { mayKnowPeople, peopleOf, toldTo, watchersOf } from '../../../worker/peers/people.ts';

let connected = 0;

function window(name: string | undefined, more: Partial<ClientPeer> & { tokenId?: string } = {}): ClientPeer {
  const { tokenId = `secret-${connected}`, ...rest } = more;
  const credential = { tokenId, issuedAt: 0, expiresAt: 9e15, ...(name === undefined ? {} : { name }) };
  const place = { channel: ++connected, generation: 1, handles: [], connectedAt: connected };
  return { role: 'operator', credential, watching: ['s'], ...place, ...rest };
}

const people = (...windows: ClientPeer[]) =>
  peopleOf(watchersOf(windows).get('s') ?? [], 's').map(({ person }) => person);

describe('the people of a session', () => {
  it('[PP1] [J6] are the names in their tokens, in the order in which they came, and one for all windows', () => {
    const [bob, anna] = [window('Bob', { role: 'viewer' }), window('Anna')];
    const all = [
      window('Anna', { role: 'viewer', drives: ['s'] }),
      anna,
      bob,
      window('Carl', { watching: ['t'] }),
    ];
    expect(people(...all)).toEqual([
      { name: 'Bob', role: 'viewer' },
      { name: 'Anna', role: 'operator', driving: true },
    ]);
  });

  it('[PP1] [J6] without a name are told by their role, with a number, and never by their token', () => {
    const same = { tokenId: 'secret' };
    const told = people(
      ...[window(undefined, same), window(undefined, same), window('', { role: 'viewer' })],
      ...[window(undefined), window('\u202e \x1b', { role: 'viewer' })],
    );
    expect(told.map(({ name }) => name)).toEqual(['operator', 'viewer', 'operator 2', 'viewer 2']);
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  it('[PP1] [X18] have printable names of bounded length, and are of bounded number', () => {
    const long = people(window(`A\x1b[2J${'n'.repeat(PERSON_NAME_MAX_CHARS)}`))[0]?.name;
    expect(long).toBe(`A[2J${'n'.repeat(PERSON_NAME_MAX_CHARS - 4)}`);
    const crowd = Array.from({ length: PEOPLE_MAX + 1 }, (_, i) => window(`Person ${i}`));
    expect(people(...crowd.slice(1))).toHaveLength(PEOPLE_MAX);
    expect(people(...crowd).map(({ name }) => name)).not.toContain(`Person ${PEOPLE_MAX}`);
  });

  it('[PP1] are told to one of them with a mark', () => {
    const anna = window('Anna');
    const all = peopleOf([anna, window('Bob')], 's');
    expect(toldTo(window('Anna', { tokenId: 'another' }), all)).toMatchObject([
      { you: true },
      { name: 'Bob' },
    ]);
    expect(toldTo(window('Carl'), all).some(({ you }) => you)).toBe(false);
  });
});

describe('who may know the people of a session', () => {
  const { credential } = window('Anna');

  it.each([
    [{ role: 'operator' }, true],
    [{ role: 'viewer' }, true],
    [{ role: 'viewer', session: 's' }, true],
    [{ role: 'operator', session: 't' }, false],
    [{ role: 'agent' }, false],
    [{ role: 'guest' }, false],
  ])('[PP4] [J6] is decided by role and session: %j', (who, may) => {
    expect(mayKnowPeople({ credential, ...who }, 's')).toBe(may);
  });
});
