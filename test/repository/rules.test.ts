import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './imports.ts';
import { rulesCitedIn, rulesIn, testSources } from './rules.ts';

const rules = rulesIn(readFileSync(join(ROOT, 'protocol/README.md'), 'utf8'));
const cited = new Set(testSources().flatMap(rulesCitedIn));
const kinds = new Set(rules.map((rule) => rule.slice(0, 2)));

describe('the rules of the protocol', () => {
  it('are numbered once each', () => {
    expect(rules.length).toBeGreaterThan(60);
    expect(rules).toHaveLength(new Set(rules).size);
  });

  it('are each cited by the name of a test', () => {
    expect(rules.filter((rule) => !cited.has(rule))).toEqual([]);
  });

  it('are the only ones that tests cite', () => {
    const unknown = [...cited].filter((rule) => kinds.has(rule.slice(0, 2)) && !rules.includes(rule));
    expect(unknown).toEqual([]);
  });
});

describe('a citation', () => {
  it.each([
    { name: 'counts in the name of a test', source: "it('[OU2] cuts off', () => {});", rules: ['OU2'] },
    { name: 'counts in a table', source: "it.each(['a'])(\n  '[IN1] [IN2] %s',", rules: ['IN1', 'IN2'] },
    { name: 'counts in a table of objects', source: "it.each([{ a: f(1) }])('[GT1] $a',", rules: ['GT1'] },
    { name: 'counts in a template', source: 'it(`[OU1] over many cuts`, go);', rules: ['OU1'] },
    { name: 'counts for a group', source: "describe('[WF1] frames', () => {", rules: ['WF1'] },
    { name: 'does not count in a comment', source: '// see [OU2]\nit("works", go);', rules: [] },
    { name: 'does not count in code', source: "it('works', () => log('[OU2]'));", rules: [] },
  ])('$name', ({ source, rules: found }) => {
    expect(rulesCitedIn(source)).toEqual(found);
  });
});
