/** What is said of share links, before one is made and in the list. */
import { describe, expect, it } from 'vitest';
import { accessSentence } from '../../../../client/access/share-access.ts';
import type { SharedLink } from '../../../../protocol/share-link.ts';
import { durationText, linkFacts } from '../../../../web/ui/share/share-text.ts';

const NOW = Date.parse('2026-01-01T10:00:00.000Z');
const LINK: SharedLink = {
  ...{ id: 'link:x', role: 'viewer', session: 's1', label: 'Ann', madeBy: 'Ada' },
  madeAt: '2026-01-01T09:00:00.000Z',
  expiresAt: '2026-01-08T10:00:00.000Z',
  ...{ lastUsedAt: null, uses: 0 },
};

describe('what is said of a link', () => {
  it.each([
    ['viewer', true, /sees this session .* cannot type, and see no other session/],
    ['viewer', false, /sees every session, also those that are opened later\. They cannot type/],
    ['operator', true, /types in it\. Other sessions are not shown\. .* run anything on the machine/],
    ['operator', false, /opens and ends terminals\. .* run anything on the machine/],
  ] as const)('[J6] before it is made: a %s, of one session: %s', (role, isForOne, sentence) => {
    expect(accessSentence(role, isForOne)).toMatch(sentence);
  });

  it('[J6] in the list: what it is for, who made it, when it ends and was used', () => {
    expect(linkFacts(LINK, 'build', NOW)).toEqual([
      ...['build', 'view only', 'made by Ada', 'expires in 7 days', 'never used'],
    ]);
    const used = { ...LINK, role: 'operator', session: null, uses: 1 } as const;
    const at = { lastUsedAt: '2026-01-01T09:15:00.000Z' };
    expect(linkFacts({ ...used, ...at }, undefined, NOW)).toEqual([
      ...['All sessions', 'can type', 'made by Ada', 'expires in 7 days', 'used once, last 45 min ago'],
    ]);
    expect(linkFacts({ ...used, ...at, uses: 3 }, undefined, NOW).at(-1)).toBe(
      'used 3 times, last 45 min ago',
    );
    expect(linkFacts(LINK, undefined, NOW)[0]).toBe('A session that has ended');
    const hostile = linkFacts({ ...LINK, madeBy: '\u202eadA' }, 'a\u001bb', NOW).join();
    for (const hidden of ['\u202e', '\u001b']) expect(hostile).not.toContain(hidden);
  });

  it.each([
    [0, '1 min'],
    [59 * 60_000, '59 min'],
    [60 * 60_000, '1 h'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 days'],
    [30 * 86_400_000, '30 days'],
  ])('[J6] a duration of %d ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
