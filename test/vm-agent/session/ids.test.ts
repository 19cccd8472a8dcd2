/** Ids of sessions, as people type them. */
import { expect, it } from 'vitest';
import { newId } from '../../../vm-agent/session/ids.ts';

it('an id never looks like an option', () => {
  // One in 64 random ids would.
  const ids = Array.from({ length: 5000 }, newId);
  expect(ids.filter((id) => id.startsWith('-'))).toEqual([]);
  expect(new Set(ids).size).toBe(5000);
});
