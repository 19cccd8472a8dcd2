/** The label of a tab. */
import { describe, expect, it } from 'vitest';
import { runningText, tabLabel } from '../../../../web/ui/view/tab-label.ts';

describe('the program in a tab', () => {
  it.each([
    ['unknown', null, ''],
    ['a shell at its prompt', { title: null, foreground: '-bash' }, ''],
    ['a program', { title: null, foreground: 'vim' }, 'vim'],
    ['a title rather than the program', { title: 'notes.txt', foreground: 'vim' }, 'notes.txt'],
    ['the title of a shell', { title: 'ann@vm: ~', foreground: 'bash' }, 'ann@vm: ~'],
    ['a title without control characters', { title: '\u202ea\x1b[31m', foreground: 'vim' }, 'a[31m'],
  ])('[U12] is %s', (_, description, text) => {
    expect(runningText(description)).toBe(text);
  });
});

describe('the label of a tab', () => {
  it.each([
    ['Terminal 1', '', 'Terminal 1'],
    ['Terminal 1', 'vim', 'vim'],
    ['Logs', '', 'Logs'],
    ['Logs', 'tail', 'Logs · tail'],
    ['vim', 'vim', 'vim'],
  ])('[U12] of %j with %j running is %j', (name, running, label) => {
    expect(tabLabel(name, running)).toBe(label);
  });
});
