import { describe, expect, it } from 'vitest';
import { SessionMemory } from '../../web/ui/session-memory.ts';
import { FakeStorage } from './ui-fake-storage.ts';

describe('the memory of a window', () => {
  it('[P16] gives back the session that was kept', () => {
    const storage = new FakeStorage();
    new SessionMemory(storage, 'local').write({ id: 's1', name: 'Build' });
    expect(new SessionMemory(storage, 'local').read()).toEqual({ id: 's1', name: 'Build' });
  });

  it('uses one key, and none of another workspace', () => {
    const storage = new FakeStorage();
    new SessionMemory(storage, 'local').write({ id: 's1', name: 'Build' });
    expect(storage.keys).toHaveLength(1);
    expect(new SessionMemory(storage, 'other').read()).toBeNull();
  });

  it.each([
    ['nothing', undefined],
    ['what is not JSON', '{'],
    ['what another version wrote', '{"version":2,"session":{"id":"s1","name":"n"}}'],
    ['what lacks an id', '{"version":1,"session":{"name":"n"}}'],
    ['null', 'null'],
  ])('takes %s for an empty memory', (_, text) => {
    const storage = new FakeStorage();
    if (text !== undefined) storage.setItem('holdfast/local', text);
    expect(new SessionMemory(storage, 'local').read()).toBeNull();
  });
});
