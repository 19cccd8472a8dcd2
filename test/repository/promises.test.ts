/** The docs name real tests: every file that a row names has a test that cites the row's id. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './imports.ts';
import { promisesIn, promisesKeptIn, shows } from './promises.ts';
import { testSources } from './rules.ts';

const promises = ['docs/evidence/reliability.md', 'SECURITY.md', 'docs/evidence/requirements.md'].flatMap(
  (page) => promisesIn(readFileSync(join(ROOT, page), 'utf8')),
);

describe('the requirements', () => {
  it('are numbered without a gap, and each names a test', () => {
    const ids = [
      ...Array.from({ length: 30 }, (_, i) => `F${i + 1}`),
      'F33',
      'F35',
      ...Array.from({ length: 26 }, (_, i) => `SEC${i + 1}`),
      ...Array.from({ length: 36 }, (_, i) => `X${i + 1}`),
      ...Array.from({ length: 6 }, (_, i) => `K${i + 1}`),
    ];
    const numbered = promises.map(({ id }) => id);
    expect(numbered.filter((id) => /^(F|SEC|X|K)/.test(id))).toEqual(ids);
    expect(new Set(numbered).size).toBe(numbered.length);
  });

  it('are each tested where their row says', () => {
    const unshown = promises.flatMap(({ id, shownBy }) =>
      shownBy.filter((path) => !shows(path, id)).map((path) => `${id}: ${path}`),
    );
    expect(unshown).toEqual([]);
  });

  it('are the only ones that test names cite', () => {
    const named = testSources().flatMap(promisesKeptIn);
    expect([...new Set(named)].filter((id) => !promises.some((promise) => promise.id === id))).toEqual([]);
  });
});

describe('a row', () => {
  it.each([
    [
      '| F1 | reload | same tabs | `test/a.test.ts`, `test/b/`, `npm run x` | – |',
      ['test/a.test.ts', 'test/b/'],
    ],
    ['| SEC1 | foreign origins pass |', undefined],
  ])('%s names %j', (row, shownBy) => {
    expect(promisesIn(row)[0]?.shownBy).toEqual(shownBy);
  });

  it.each([
    ["it('[F1] [P2] [SEC3] reloads', go)", ['F1', 'SEC3']],
    ["['[F12] that is plugged in elsewhere', go]", ['F12']],
    ["// [F1] is elsewhere\nit('works', go)", []],
  ])('is met by %s: %j', (source, ids) => {
    expect(promisesKeptIn(source)).toEqual(ids);
  });
});
