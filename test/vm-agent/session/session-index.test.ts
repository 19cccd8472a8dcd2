import { expect, it } from 'vitest';
import type { Session } from '../../../vm-agent/session/session.ts';
import { SessionIndex } from '../../../vm-agent/session/session-index.ts';

const session = (id: string, handle: number) =>
  ({ identity: { id, handle, key: null }, exit: null }) as unknown as Session;

it('[AG6] knows the replacement of a session while it lives, and forgets only that one when it is gone', () => {
  const index = new SessionIndex();
  const [one, other] = [session('one', 1), session('other', 2)];
  index.add(one);
  index.add(other);
  index.inherit('old', one);
  index.inherit('older', other);
  expect([index.heirOf('old'), index.heirOf('older'), index.heirOf('never')]).toEqual([
    one,
    other,
    undefined,
  ]);
  index.delete(one);
  expect([index.heirOf('old'), index.heirOf('older'), index.size]).toEqual([undefined, other, 1]);
  // An id that is used again, as for a restored session, inherits nothing.
  index.add(session('one', 3));
  expect(index.heirOf('old')).toBe(undefined);
});

it('finds a session by its handle while it exists', () => {
  const index = new SessionIndex();
  const one = session('one', 7);
  index.add(one);
  expect([index.findByHandle(7), index.findByHandle(8)]).toEqual([one, undefined]);
  expect(index.find('one')).toBe(one);
  index.delete(one);
  expect(index.findByHandle(7)).toBe(undefined);
  expect(() => index.find('one')).toThrow('This session does not exist any more.');
});

it('[U12] gives a default name to one running session only, and any other name as requested', () => {
  const named = (id: string, name: string, exit: object | null = null) =>
    ({ identity: { id, handle: id.length, key: null }, exit, name }) as unknown as Session;
  const index = new SessionIndex();
  index.add(named('a', 'Terminal 1'));
  index.add(named('ab', 'Build'));
  index.add(named('abc', 'Terminal 7', { code: 0, signal: null }));
  expect(index.nameFor('')).toBe('Terminal 2');
  expect(index.nameFor('Terminal 1')).toBe('Terminal 2');
  expect(index.nameFor('Terminal 3')).toBe('Terminal 3');
  expect(index.nameFor('Build')).toBe('Build');
  expect(index.nameFor('Terminal 7'), 'a new shell in the place of one that has ended').toBe('Terminal 7');
});
