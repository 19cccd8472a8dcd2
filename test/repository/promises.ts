/**
 * Rows of a table of promises (docs/evidence/reliability.md, docs/evidence/requirements.md, SECURITY.md), and the tests
 * that they name.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './imports.ts';

export interface Promised {
  readonly id: string;
  /** Files and folders of tests, as the row names them. */
  readonly shownBy: readonly string[];
}

/** A row starts with its id in a separate cell. */
const ROW = /^\| ((?:F|SEC|X|Y|U|D|K|J)\d+) \|(.*)$/gm;
const PROOF = /`(test\/[^`\s]+)`/g;
/** Names of tests begin with what they show, also those that stand in a table. */
const NAME_BEGINS = /['"`]((?:\[[A-Z]+\d+\] )+)/g;

/** Rows that name no test (what was broken, what was measured) are not promises. */
export function promisesIn(markdown: string): Promised[] {
  return [...markdown.matchAll(ROW)]
    .map(([, id = '', row = '']) => ({ id, shownBy: [...row.matchAll(PROOF)].map(([, path = '']) => path) }))
    .filter(({ shownBy }) => shownBy.length > 0);
}

/** The promises that test names of this source cite. */
export function promisesKeptIn(source: string): string[] {
  const beginnings = [...source.matchAll(NAME_BEGINS)].map(([, ids = '']) => ids);
  return beginnings.flatMap((ids) => ids.match(/\b(?:F|SEC|X|Y|U|D|K|J)\d+\b/g) ?? []);
}

/** Whether a test of this file, or one in this folder, cites the promise. */
export function shows(path: string, id: string): boolean {
  return testsAt(path).some((file) => promisesKeptIn(readFileSync(file, 'utf8')).includes(id));
}

function testsAt(path: string): string[] {
  const full = join(ROOT, path);
  if (statSync(full).isFile()) return [full];
  const files = readdirSync(full, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.test\.tsx?$/.test(file)).map((file) => join(full, file));
}
