/** The numbered rules of the protocol, and the tests that cite them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './imports.ts';

/** A rule starts a list item of protocol/README.md with its number in bold. */
const RULE = /^- \*\*([A-Z]{2}\d+)\*\* /gm;
const CITATION = /\[([A-Z]{2}\d+)\]/g;
/** Where a test or a group of them gets its name: `it('…'`, or behind a table, `)('…'`. */
const NAME = /(?:\b(?:it|test|describe)(?:\.\w+)?|\))\(\s*(['"`])([\s\S]*?)(?<!\\)\1/g;

export function rulesIn(readme: string): string[] {
  return [...readme.matchAll(RULE)].map(([, rule = '']) => rule);
}

/** Rules cited by the names of tests in this source; comments and code do not count. */
export function rulesCitedIn(source: string): string[] {
  const names = [...source.matchAll(NAME)].map(([, , name = '']) => name);
  return names.flatMap((name) => [...name.matchAll(CITATION)].map(([, rule = '']) => rule));
}

export function testSources(): string[] {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  const tests = files.filter((file) => /\.test\.tsx?$/.test(file));
  return tests.map((file) => readFileSync(join(ROOT, 'test', file), 'utf8'));
}
