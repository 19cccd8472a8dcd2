/** Saved tabs: which of them share a tab, when a page saves them that does not know. */
import { describe, expect, it } from 'vitest';
import { CLIENT_CONTROL_MAX_BYTES } from '../../../protocol/limits.ts';
import type { Layout } from '../../../protocol/messages/message-parts.ts';
import { withSplits } from '../../../worker/registry/layout-splits.ts';

const panes = {
  direction: 'row',
  percent: 50,
  first: { session: 'a' },
  second: { session: 'b' },
} as const;
const tabs = ['a', 'b'].map((session) => ({ session, name: session }));
const split: Layout = { tabs, active: 'a', splits: [{ panes, active: 'b' }] };

describe('a layout that is saved', () => {
  it('[U42] [RL34] keeps the splits of the one before, if its page knows none', () => {
    const plain = { tabs: [...tabs].reverse(), active: 'b' };
    expect(withSplits(plain, split)).toEqual({ ...plain, splits: split.splits });
    expect(withSplits(plain, null)).toBe(plain);
    expect(withSplits(plain, plain)).toBe(plain);
  });

  it('[U42] [RL34] has the splits that its page says, be it none', () => {
    expect(withSplits({ ...split, splits: [] }, split).splits).toEqual([]);
    expect(withSplits(split, { ...split, splits: [] })).toBe(split);
  });

  it('[U42] [RL34] is never larger than a message', () => {
    const long = Array.from({ length: 44 }, (_, n) => ({ session: `s${n}`, name: 'n'.repeat(256) }));
    const plain = { tabs: long, active: null };
    const room = CLIENT_CONTROL_MAX_BYTES - JSON.stringify(plain).length;
    const one = { panes, active: 'b' };
    const many = Array.from({ length: Math.ceil(room / JSON.stringify(one).length) }, () => one);
    expect(withSplits(plain, { ...split, splits: [one] }).splits).toEqual([one]);
    expect(withSplits(plain, { ...split, splits: many })).toBe(plain);
  });
});
