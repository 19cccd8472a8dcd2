/** The table of commands, and what is made from it: which can be run, which is meant, which was used last. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommandContext, isOffered, reasonAgainst } from '../../../../web/ui/commands/availability.ts';
import { COMMANDS, entryOf } from '../../../../web/ui/commands/command-table.ts';
import { fuzzyFilter, fuzzyScore } from '../../../../web/ui/commands/fuzzy-match.ts';
import { RecentCommands } from '../../../../web/ui/commands/recent-commands.ts';
import { checkProperty } from '../../../support/property.ts';
import { FakeStorage } from '../tabs/fake-storage.ts';

const terminal = {
  index: 0,
  count: 2,
  panes: 2,
  canSplit: true,
  showsPanes: true,
  hasSelection: true,
  hasPrompts: true,
  isFullScreen: false,
};
const all: CommandContext = {
  mayType: true,
  mayManage: true,
  hasLogin: true,
  mayShare: true,
  canReopen: true,
  terminal,
};
const viewer: CommandContext = { ...all, mayType: false, mayManage: false, mayShare: false };
/** Whoever has a link for one session, to type in it. */
const guest: CommandContext = { ...viewer, mayType: true, hasLogin: false };

describe('the table of commands', () => {
  it('[U41] has each id and each title once', () => {
    expect(new Set(COMMANDS.map(({ id }) => id)).size).toBe(COMMANDS.length);
    expect(new Set(COMMANDS.map(({ title }) => title)).size).toBe(COMMANDS.length);
  });

  it.each([
    ['close', all, null],
    ['move-left', all, 'it is the first'],
    ['move-right', all, null],
    ['move-right', { ...all, terminal: { ...terminal, index: 1 } }, 'it is the last'],
    ['close-others', { ...all, terminal: { ...terminal, count: 1 } }, 'there is no other'],
    ['copy', { ...all, terminal: { ...terminal, hasSelection: false } }, 'nothing is selected'],
    ['clear', { ...all, terminal: { ...terminal, isFullScreen: true } }, 'a full-screen program has none'],
    ['next-prompt', { ...all, terminal: { ...terminal, hasPrompts: false } }, 'the shell makes no marks'],
    ['find', { ...all, terminal: null }, 'no terminal'],
    ['new', { ...all, terminal: null }, null],
    ['split-right', { ...all, terminal: { ...terminal, canSplit: false } }, 'there are too many panes'],
    ['zoom-pane', { ...all, terminal: { ...terminal, panes: 1 } }, 'there is one pane'],
    ['to-divider', { ...all, terminal: { ...terminal, showsPanes: false } }, 'one pane is shown'],
    ['reopen', { ...all, canReopen: false }, 'nothing was closed'],
    ['new', viewer, 'view only'],
    ['find', viewer, null],
    ['compose', viewer, 'view only'],
    ['compose', guest, null],
    ['new', guest, 'not allowed'],
    ['share', guest, 'not allowed'],
    ['device', { ...all, hasLogin: false }, 'no login'],
  ])('[U41] says why %s cannot be run (%#)', (id, context, reason) => {
    expect(reasonAgainst(entryOf(id).command, context)).toBe(reason);
  });

  it('[U41] offers a viewer nothing that types, starts or ends', () => {
    const offered = COMMANDS.filter(({ command }) => isOffered(command, viewer)).map(({ id }) => id);
    for (const id of [
      'new',
      'new-here',
      'duplicate',
      'split-down',
      'close',
      'close-tab',
      'close-others',
      'reopen',
      'rename',
      'paste',
    ])
      expect(offered).not.toContain(id);
    expect(offered).toContain('copy');
  });
});

describe('a few letters', () => {
  const letters = (maxLength: number) =>
    fc.array(fc.constantFrom('a', 'b', 'B', ' ', '-', 'é'), { maxLength }).map((all) => all.join(''));
  const titles = COMMANDS.map(({ title }) => title);
  it.each([
    ['nt', 'New terminal'],
    ['ntherm', null],
    ['set', 'Settings'],
    ['ren', 'Rename terminal'],
    ['closeoth', 'Close other terminals'],
    ['co', 'Copy'],
    ['prevpro', 'Previous prompt'],
    ['  find ', 'Find'],
    ['xyzzy', null],
  ])('[U41] %j first find %j', (typed, title) => {
    expect(fuzzyFilter(typed, titles, (text) => text)[0] ?? null).toBe(title);
  });

  it('[U41] find a text exactly if they are all in it, in their order', () => {
    checkProperty(
      'fuzzy match',
      fc.property(letters(6), letters(20), (typed, text) => {
        const wanted = [...typed.toLowerCase().replace(/\s+/g, '')];
        let rest: string | null = text.toLowerCase();
        for (const letter of wanted) {
          const at: number = rest?.indexOf(letter) ?? -1;
          rest = at < 0 ? null : (rest?.slice(at + letter.length) ?? null);
        }
        // Better places may be taken, but never at the price of a match.
        expect(fuzzyScore(typed, text) === null).toBe(rest === null);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the commands used last', () => {
  it('[U41] come first, the newest of them before the others, and the rest keep their order', () => {
    const recent = new RecentCommands(new FakeStorage());
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => ({ id }));
    for (const id of ['a', 'h', 'g', 'f', 'd', 'h', 'b']) recent.used(id);
    expect(recent.sorted(ids).map(({ id }) => id)).toEqual(['b', 'h', 'd', 'f', 'g', 'a', 'c', 'e']);
  });

  it('[U41] are none if the storage holds something else', () => {
    const storage = new FakeStorage();
    storage.setItem('holdfast/recent-commands', '{"a":1}');
    expect(new RecentCommands(storage).list).toEqual([]);
  });
});
