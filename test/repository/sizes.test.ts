/** Files, functions and classes stay short, and so do files of tests, but for those listed here with a reason. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productFiles, ROOT, sourcesUnder } from './imports.ts';
import {
  CLASS_MAX_METHODS,
  FILE_MAX_LINES,
  FUNCTION_MAX_LINES,
  fileTooLongIn,
  type TooLong,
  tooLongIn,
} from './sizes.ts';

const ONE_TABLE = 'one table with a reason for each row';

/** What may be too long, and why. Remove a line here when it is no longer needed. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'file protocol/limits.ts': ONE_TABLE,
};

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const inSources = [...productFiles(), ...sourcesUnder('bench')].flatMap((file) =>
  tooLongIn(file, textOf(file)),
);
/** Tests and their set-up. The mutation tests install packages of their own. */
const inTests = sourcesUnder('test')
  .filter((file) => !file.includes('/node_modules/'))
  .flatMap((file) => fileTooLongIn(file, textOf(file)));

const unexcused = (found: readonly TooLong[]) =>
  found.filter(({ what }) => !(what in EXCEPTIONS)).map(({ what, size }) => `${what}: ${size}`);

describe('the sources', () => {
  it(`have files of at most ${FILE_MAX_LINES} lines, functions of ${FUNCTION_MAX_LINES}, classes of ${CLASS_MAX_METHODS} methods`, () => {
    expect(unexcused(inSources)).toEqual([]);
  });

  it(`have tests and set-up of tests in files of at most ${FILE_MAX_LINES} lines`, () => {
    expect(unexcused(inTests)).toEqual([]);
  });

  it('need every exception that is listed', () => {
    const needed = [...inSources, ...inTests].map(({ what }) => what);
    expect(Object.keys(EXCEPTIONS).filter((what) => !needed.includes(what))).toEqual([]);
  });
});

describe('measuring a source', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `  x${i}();`).join('\n');
  const whats = (source: string) => tooLongIn('a.ts', source).map(({ what, size }) => `${what}: ${size}`);

  it('finds a long file, and leaves one that just fits', () => {
    expect(whats(`${lines(301)}\n`)).toEqual(['file a.ts: 301']);
    expect(whats(`${lines(300)}\n`)).toEqual([]);
  });

  it('looks only at the length of a file of tests', () => {
    const group = (count: number) => `describe('a', () => {\n${lines(count)}\n});\n`;
    expect(fileTooLongIn('a.test.ts', group(299))).toEqual([{ what: 'file a.test.ts', size: 301 }]);
    expect(fileTooLongIn('a.test.ts', group(298))).toEqual([]);
  });

  it.each([
    ['a function', `function long() {\n${lines(79)}\n}`],
    ['an arrow in a constant', `const long = () => {\n${lines(79)}\n};`],
    ['a method', `class C {\n  long() {\n${lines(79)}\n  }\n}`],
    ['a private method', `class C {\n  #long() {\n${lines(79)}\n  }\n}`],
    ['a function of an object', `const o = {\n  long: async () => {\n${lines(79)}\n  },\n};`],
  ])('finds %s that is long', (_, source) => {
    expect(whats(source)).toEqual(['function long in a.ts: 81']);
    expect(whats(source.replace('  x0();\n', ''))).toEqual([]);
  });

  it('finds a class with many methods, getters among them, but not its constructor', () => {
    const methods = (count: number) => Array.from({ length: count }, (_, i) => `  #m${i}() {}`).join('\n');
    const classOf = (count: number) =>
      `class C {\n  constructor() {}\n  get g() {\n    return 1;\n  }\n${methods(count)}\n}`;
    expect(whats(classOf(25))).toEqual(['class C in a.ts: 26']);
    expect(whats(classOf(24))).toEqual([]);
  });

  it('reads pages with elements in them', () => {
    expect(tooLongIn('a.tsx', 'export const A = () => <p>text</p>;')).toEqual([]);
  });
});
