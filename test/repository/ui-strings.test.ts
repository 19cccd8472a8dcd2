/** web/ui/strings.txt has every text of the page, and none that a trial found odd. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringsOf } from '../../tools/ui-strings.ts';
import { currentStrings, STRINGS_FILE } from '../../tools/write-reference.ts';
import { ROOT } from './imports.ts';

const strings = readFileSync(join(ROOT, STRINGS_FILE), 'utf8');

describe('the list of texts', () => {
  it('is what `npx node tools/write-reference.ts` writes', () => {
    expect(
      strings,
      'out of date: run `npx node tools/write-reference.ts`, and proof-read what has changed',
    ).toBe(currentStrings());
  });

  it.each(['Copy on select', 'Reset text size', 'Sign in to see the status', 'no viewers since {since}'])(
    'contains "%s"',
    (text) => {
      expect(strings).toContain(`  ${text}\n`);
    },
  );

  it.each([
    /can not\b/,
    /\bLooks\b|\bAccess\b|Like the system/,
    /as large as at first|closed last|From anywhere/,
    /what is selected|many lines are pasted|may copy/,
    /nobody since|can not be had|goes on\b|Nobody attached|Ended, readable/,
    /Looked at|half minute|needs a link|#token=… behind/,
  ])('contains nothing like %s', (odd) => {
    expect(strings.split('\n').filter((line) => odd.test(line))).toEqual([]);
  });
});

describe('a text for users', () => {
  it.each([
    [
      'between tags, with its formatting',
      '<p>Close <b/> “{tab.name}” <code>now</code>?</p>',
      ['Close “{name}” now?'],
    ],
    ['of a template', 'const a = `Paste $' + '{question.lines} lines?`;', ['Paste {lines} lines?']],
    ['of an attribute', '<input placeholder="Find in here" className="field wide" />', ['Find in here']],
    ['of a choice between tags', "<p>{isOn ? 'on' : 'off'}</p>", ['on', 'off']],
    ['of a table', "const t = { system: 'System', 'is-on': 'Text size' };", ['System', 'Text size']],
    ['that is said twice', "f('Try again'); f('Try again');", ['Try again']],
    ['with a semicolon', "const a = 'It ended; try again.';", ['It ended; try again.']],
  ])('%s is found', (_, source, found) => {
    expect(stringsOf('a.tsx', source)).toEqual(found);
  });

  it.each([
    ['a module', "import { a } from 'Some module';"],
    ['a type', "type A = 'Some type';"],
    ['a comparison', "if (a === 'Some kind') f();"],
    ['a case', "switch (a) { case 'Some kind': f(); }"],
    ['a class name', "const a = 'button button-primary';"],
    ['a media query', "matchMedia('(max-width: 480px) and more');"],
    ['a key code', "const a = 'ArrowLeft';"],
    ['an event', "button.addEventListener('Some event', f);"],
    ['a word for programs', "const a = 'running';"],
  ])('%s is not one', (_, source) => {
    expect(stringsOf('a.tsx', source)).toEqual([]);
  });
});
