import { expect, it } from 'vitest';
import type { Session } from '../../vm-agent/session.ts';
import { SessionIndex } from '../../vm-agent/session-index.ts';

const session = (id: string, handle: number) =>
  ({ identity: { id, handle, key: null }, exit: null }) as unknown as Session;

it('[AG6] knows the heir of a session while it lives, and forgets that one alone when it goes', () => {
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
  // An id that comes back, as a revived session's does, inherits nothing by that.
  index.add(session('one', 3));
  expect(index.heirOf('old')).toBe(undefined);
});

it('finds a session by its number on the wire while it is there', () => {
  const index = new SessionIndex();
  const one = session('one', 7);
  index.add(one);
  expect([index.findByHandle(7), index.findByHandle(8)]).toEqual([one, undefined]);
  expect(index.find('one')).toBe(one);
  index.delete(one);
  expect(index.findByHandle(7)).toBe(undefined);
  expect(() => index.find('one')).toThrow('This session does not exist any more.');
});
