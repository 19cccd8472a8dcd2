/** The tabs of a window as values: changed, saved, matched with the existing sessions. */
import { describe, expect, it } from 'vitest';
import { hydrate, layoutOf, planFor } from '../../../../web/ui/tabs/match-tabs.ts';
import {
  activated,
  added,
  freeName,
  moved,
  NO_TABS,
  neighbour,
  removed,
  type TabList,
  tabList,
} from '../../../../web/ui/tabs/tab-list.ts';
import { TabMemory } from '../../../../web/ui/tabs/tab-memory.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { FakeStorage } from './fake-storage.ts';

const tab = (key: string) => ({ key, session: `session-${key}`, name: `Terminal ${key}` });
/** `'a [b] c'`: three tabs, the second shown. */
const list = (text: string): TabList => {
  const keys = text.split(' ').filter((word) => word !== '');
  const active = keys.find((key) => key.startsWith('['))?.slice(1, -1) ?? null;
  return { tabs: keys.map((key) => tab(key.replace(/[[\]]/g, ''))), active };
};
const text = ({ tabs, active }: TabList) =>
  tabs.map(({ key }) => (key === active ? `[${key}]` : key)).join(' ');

describe('a list of tabs', () => {
  it.each([
    ['activates an added tab', added(list('[a] b'), tab('c')), 'a b [c]'],
    ['adds at a position', added(list('[a] b'), tab('c'), 1), 'a [c] b'],
    ['activates the right neighbour when the active tab is removed', removed(list('a [b] c'), 'b'), 'a [c]'],
    ['activates the left neighbour at the end', removed(list('a b [c]'), 'c'), 'a [b]'],
    ['keeps the active tab when another is removed', removed(list('a [b] c'), 'a'), '[b] c'],
    ['may become empty', removed(list('[a]'), 'a'), ''],
    ['ignores the removal of an unknown tab', removed(list('[a]'), 'x'), '[a]'],
    ['shows another', activated(list('[a] b'), 'b'), 'a [b]'],
    ['ignores the activation of an unknown tab', activated(list('[a] b'), 'x'), '[a] b'],
    ['moves to the right', moved(list('[a] b c'), 'a', 1), 'b [a] c'],
    ['moves to the left', moved(list('[a] b c'), 'c', 0), 'c [a] b'],
    ['moves no further than the end', moved(list('[a] b c'), 'a', 9), 'b c [a]'],
    ['activates the first if none is given', tabList([tab('a'), tab('b')], 'x'), '[a] b'],
  ])('%s', (_, result, expected) => {
    expect(text(result)).toBe(expected);
  });

  it.each([
    ['a [b] c', 1, 'c'],
    ['a b [c]', 1, 'a'],
    ['[a] b c', -1, 'c'],
    ['[a]', 1, 'a'],
    ['', 1, undefined],
  ])('of %j has %d further %s', (from, step, key) => {
    expect(neighbour(list(from), step)?.key).toBe(key);
  });

  it('finds the first free name', () => {
    expect(freeName(NO_TABS)).toBe('Terminal 1');
    expect(freeName(list('1 3'))).toBe('Terminal 2');
  });
});

describe('the saved tabs of a window', () => {
  const nowhere = () => 0;

  it('[P16] restore ids, names, order, the active tab, and the scroll position', () => {
    const storage = new FakeStorage();
    new TabMemory(storage, 'local').write(list('b [a]'), (key) => (key === 'b' ? 12 : 0));
    const kept = new TabMemory(storage, 'local').read();
    expect(kept.list).toEqual(list('b [a]'));
    expect(kept.scrolled.get('b')).toBe(12);
  });

  it('use one storage key per workspace', () => {
    const storage = new FakeStorage();
    new TabMemory(storage, 'local').write(list('[a]'), nowhere);
    expect(storage.keys).toHaveLength(1);
    expect(new TabMemory(storage, 'other').read().list).toEqual(NO_TABS);
  });

  it.each([
    ['nothing', undefined],
    ['invalid JSON', '{'],
    ['data of another version', '{"version":1,"session":{"id":"s1","name":"n"}}'],
    ['invalid tabs', '{"version":2,"tabs":[{"name":"n"}],"active":null}'],
    ['a dangerous key', '{"version":2,"tabs":[{"key":"<b>","session":null,"name":"n"}],"active":null}'],
    ['null', 'null'],
  ])('are empty for %s', (_, text) => {
    const storage = new FakeStorage();
    if (text !== undefined) storage.setItem('holdfast/local', text);
    expect(new TabMemory(storage, 'local').read().list).toEqual(NO_TABS);
  });

  it('are not needed: a browser without storage works', () => {
    const refuses = () => {
      throw new DOMException('no', 'SecurityError');
    };
    const memory = new TabMemory({ getItem: refuses, setItem: refuses }, 'local');
    memory.write(list('[a]'), nowhere);
    expect(memory.read().list).toEqual(NO_TABS);
  });
});

describe('matching a tab with the existing sessions', () => {
  const kept = { key: 'k', session: 'mine', name: 'Mine' };
  const other = sessionInfo('other');

  it.each([
    { name: 'found: reattached', sessions: [other, sessionInfo('mine')], plan: { kind: 'reattach' } },
    { name: 'not found: new', sessions: [other], plan: { kind: 'create', replaces: 'mine' } },
    {
      name: 'exited: new',
      sessions: [sessionInfo('mine', { status: 'exited', exitCode: 0 })],
      plan: { kind: 'create', replaces: 'mine' },
    },
    {
      name: 'lost with its agent: new',
      sessions: [sessionInfo('mine', { status: 'lost' })],
      plan: { kind: 'create', replaces: 'mine' },
    },
    { name: 'an empty list: new', sessions: [], plan: { kind: 'create', replaces: 'mine' } },
  ])('[P22] $name', ({ sessions, plan }) => {
    expect(planFor(kept, sessions, true)).toMatchObject(plan);
  });

  it('[P22] an empty list: all new, each in its own place', () => {
    const tabs = list('a [b] c').tabs;
    expect(tabs.map((tab) => planFor(tab, [], true))).toEqual([
      { kind: 'create', replaces: 'session-a', endedBy: null },
      { kind: 'create', replaces: 'session-b', endedBy: null },
      { kind: 'create', replaces: 'session-c', endedBy: null },
    ]);
  });

  it('a tab that never had a session: new, in its own place', () => {
    expect(planFor({ ...kept, session: null }, [], true)).toEqual({
      kind: 'create',
      replaces: 'k',
      endedBy: null,
    });
  });

  it('[RL15] ended by a rule: new, and nothing to read for a viewer', () => {
    const ended = sessionInfo('mine', { status: 'exited', endedBy: 'idle' });
    expect(planFor(kept, [ended], true)).toEqual({ kind: 'create', replaces: 'mine', endedBy: 'idle' });
    expect(planFor(kept, [ended], false)).toBeNull();
  });

  it('for a viewer: nothing new', () => {
    const exited = sessionInfo('mine', { status: 'exited' });
    expect(planFor(kept, [exited], false)).toMatchObject({ kind: 'reattach' });
    expect(planFor(kept, [], false)).toBeNull();
  });
});

describe('a browser without tabs', () => {
  let keys = 0;
  const newKey = () => `k${++keys}`;

  it('has no more tabs than a layout may have', () => {
    const sessions = Array.from({ length: 80 }, (_, i) => sessionInfo(`s${i}`));
    expect(hydrate(sessions, null, newKey).tabs).toHaveLength(48);
  });

  it('saves only tabs that have a session', () => {
    const half = { ...list('[a] b'), tabs: [{ ...tab('a'), session: null }, tab('b')] };
    expect(layoutOf(half)).toEqual({
      tabs: [{ session: 'session-b', name: 'Terminal b' }],
      active: null,
      splits: [],
    });
    expect(layoutOf(list('a [b]')).active).toBe('session-b');
  });
});
