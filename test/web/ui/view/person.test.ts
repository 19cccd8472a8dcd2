/** User actions and what the page does with them: keys, paste, clipboard, links, settings. */
import { describe, expect, it } from 'vitest';
import { commandOf } from '../../../../web/ui/commands/command-keys.ts';
import { COMMANDS } from '../../../../web/ui/commands/command-table.ts';
import {
  DEFAULT_SETTINGS,
  readSettings,
  SETTINGS_KEY,
  SettingsStore,
} from '../../../../web/ui/settings/settings.ts';
import { LINK_PATTERN, safeLink } from '../../../../web/ui/terminal/links.ts';
import { fitSize, fontToFit } from '../../../../web/ui/terminal/size/fit.ts';
import { unsentText } from '../../../../web/ui/text/unsent-text.ts';
import { clipboardRequest } from '../../../../web/ui/view/clipboard-request.ts';
import { pasteQuestion } from '../../../../web/ui/view/paste-check.ts';
import { runningProgram } from '../../../../web/ui/view/shells.ts';
import { barKey, NOTHING_STICKS, tapped, used, withSticky } from '../../../../web/ui/view/sticky-keys.ts';
import { FakeStorage } from '../tabs/fake-storage.ts';

const plain = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

describe('shortcuts', () => {
  it.each([
    ['KeyN', { altKey: true, shiftKey: true }, { kind: 'new' }],
    ['ArrowLeft', { altKey: true, shiftKey: true }, { kind: 'switch', step: -1 }],
    ['Digit3', { altKey: true, shiftKey: true }, { kind: 'go', index: 2 }],
    ['Digit0', { altKey: true, shiftKey: true }, { kind: 'zoom', step: 0 }],
    ['KeyF', { ctrlKey: true, shiftKey: true }, { kind: 'find' }],
    ['KeyP', { ctrlKey: true, shiftKey: true }, { kind: 'palette' }],
    ['KeyP', { altKey: true, shiftKey: true }, { kind: 'palette' }],
    ['KeyP', { ctrlKey: true }, null],
    ['KeyN', { ctrlKey: true, shiftKey: true }, null],
    ['ArrowUp', { ctrlKey: true, shiftKey: true }, { kind: 'prompt', step: -1 }],
    ['ArrowDown', { metaKey: true, shiftKey: true }, { kind: 'prompt', step: 1 }],
    ['ArrowUp', { ctrlKey: true }, null],
    ['ArrowUp', { ctrlKey: true, metaKey: true, shiftKey: true }, null],
    ['ArrowUp', { altKey: true, ctrlKey: true, shiftKey: true }, null],
    ['KeyF', { altKey: true, shiftKey: true }, null],
    ['KeyN', { altKey: true }, null],
    ['KeyN', { altKey: true, shiftKey: true, ctrlKey: true }, null],
    ['KeyN', { altKey: true, shiftKey: true, metaKey: true }, null],
    ['KeyN', {}, null],
  ])('%s with %j is %j', (code, keys, command) => {
    expect(commandOf({ ...plain, ...keys, code, key: '' }, false)).toEqual(command);
  });

  it.each([
    ['types a backslash on a German Mac', 'Digit7', '\\', true, null],
    ['types a bracket on a French Mac', 'Digit5', '[', true, null],
    [
      'is a shortcut if Option is Meta, or on another system',
      'Digit7',
      '\\',
      false,
      { kind: 'go', index: 6 },
    ],
    ['is a shortcut if it would type a character that no shell needs', 'KeyN', '˜', true, { kind: 'new' }],
    ['is a shortcut if the keyboard composes nothing', 'KeyN', 'N', true, { kind: 'new' }],
  ])('[U4] Option and Shift with a key %s', (_, code, key, optionComposes, command) => {
    const pressed = { ...plain, altKey: true, shiftKey: true, code, key };
    expect(commandOf(pressed, optionComposes)).toEqual(command);
  });

  it('use no key that the browser reserves', () => {
    // With Alt and Shift: Chrome's tool bar, its menu of profiles, its feedback; Firefox has none.
    const taken = ['KeyT', 'KeyA', 'KeyI', 'KeyM', 'KeyB', 'KeyC'];
    const codes = COMMANDS.flatMap(({ code }) => code ?? []);
    expect(codes.filter((code) => taken.includes(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });
});

describe('a paste', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`).join('\n');

  it.each([
    ['one line', 'ls', false, null],
    ['one line with a line end, which runs', 'ls\n', false, 1],
    ['one line with a line end into a program with bracketed paste', 'ls\n', true, null],
    ['only a line end', '\r\n', false, 1],
    ['two lines into a program that runs each', 'a\nb', false, 2],
    ['two lines with foreign line ends', 'a\r\nb\r\n', false, 2],
    ['a few lines into a program with bracketed paste', lines(20), true, null],
    ['more text than anybody reads', lines(21), true, 21],
  ])('of %s', (_, text, isBracketed, asked) => {
    expect(pasteQuestion(text, isBracketed)?.lines ?? null).toBe(asked);
  });
});

describe("a program's request to write the clipboard", () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64');

  it.each([
    ['writes', `c;${encoded('copied π')}`, 'copied π'],
    ['writes to the primary selection', `p;${encoded('x')}`, 'x'],
    ['names no selection', `;${encoded('x')}`, 'x'],
    ['reads the clipboard', 'c;?', null],
    ['clears', 'c;', null],
    ['sends invalid base64', 'c;!!!', null],
    ['sends invalid text', `c;${Buffer.from([0xff, 0xfe]).toString('base64')}`, null],
    ['sends too much', `c;${encoded('x'.repeat(100 * 1024 + 1))}`, null],
    ['sends as much as it may', `c;${encoded('x'.repeat(100 * 1024))}`, 'x'.repeat(100 * 1024)],
    ['sends something else', 'nonsense', null],
  ])('that %s', (_, data, text) => {
    expect(clipboardRequest(data)).toBe(text);
  });
});

describe('a link', () => {
  it.each([
    ['https://example.org/a?b=c#d', true],
    ['http://[::1]:8080/', true],
    ['mailto:someone@example.org', true],
    ['HTTPS://EXAMPLE.ORG', true],
    ['javascript:alert(1)', false],
    ['JaVaScRiPt:alert(1)', false],
    [' javascript:alert(1)', false],
    ['java\nscript:alert(1)', false],
    ['data:text/html,<script>alert(1)</script>', false],
    ['vbscript:x', false],
    ['file:///etc/passwd', false],
    ['blob:https://example.org/1', false],
    ['ftp://example.org', false],
    ['https://bank.example@evil.example/', false],
    ['//example.org', false],
    ['example.org', false],
    ['', false],
  ])('%j may be opened: %s', (address, isSafe) => {
    expect(safeLink(address) !== null).toBe(isSafe);
  });

  it.each([
    ['see https://example.org/a, then', 'https://example.org/a'],
    ['(https://example.org/a)', 'https://example.org/a'],
    ['"https://example.org"', 'https://example.org'],
    ['mailto:a@example.org.', 'mailto:a@example.org'],
    ['javascript:alert(1)', undefined],
  ])('is found in %j', (text, found) => {
    expect(LINK_PATTERN.exec(text)?.[0]).toBe(found);
  });
});

describe('keys of the key bar', () => {
  const once = tapped(NOTHING_STICKS, 'ctrl');

  it('apply to one key, then lock, then turn off', () => {
    const locked = tapped(once, 'ctrl');
    expect([once.ctrl, locked.ctrl, tapped(locked, 'ctrl').ctrl]).toEqual(['once', 'locked', 'off']);
    expect(used(once).ctrl).toBe('off');
    expect(used(locked).ctrl).toBe('locked');
  });

  it.each([
    ['c', once, '\x03'],
    ['C', once, '\x03'],
    ['[', once, '\x1b'],
    [' ', once, '\x00'],
    ['?', once, '\x7f'],
    ['1', once, '1'],
    ['cd', once, '\x03d'],
    ['b', tapped(NOTHING_STICKS, 'alt'), '\x1bb'],
    ['c', tapped(once, 'alt'), '\x1b\x03'],
    ['c', NOTHING_STICKS, 'c'],
  ])('%j with sticky keys', (text, sticky, sent) => {
    expect(withSticky(text, sticky)).toBe(sent);
  });

  it.each([
    ['Up', NOTHING_STICKS, false, '\x1b[A'],
    ['Up', NOTHING_STICKS, true, '\x1bOA'],
    ['Left', once, true, '\x1b[1;5D'],
    ['Right', tapped(NOTHING_STICKS, 'alt'), false, '\x1b[1;3C'],
    ['PageDown', NOTHING_STICKS, false, '\x1b[6~'],
    ['PageUp', once, false, '\x1b[5;5~'],
    ['Escape', once, false, '\x1b'],
    ['Tab', NOTHING_STICKS, false, '\t'],
  ] as const)('%s is sent as by other terminals', (key, sticky, application, sent) => {
    expect(barKey(key, sticky, application)).toBe(sent);
  });
});

describe('unsent input', () => {
  it.each([
    ['ls -la\r', 'ls -la⏎'],
    ['a\tb\x7f\x03', 'a⇥b⌫^C'],
    ['\x1b[A\x1bOB', '⋯⋯'],
    ['\x1b', '⎋'],
    ['πλ', 'πλ'],
    ['x'.repeat(100), `…${'x'.repeat(60)}`],
  ])('%j is shown as %s', (typed, text) => {
    expect(unsentText(new TextEncoder().encode(typed))).toBe(text);
  });
});

describe('the program running in a terminal', () => {
  it.each([
    ['bash', null],
    ['-zsh', null],
    ['fish', null],
    [null, null],
    ['vim', 'vim'],
    ['sleep', 'sleep'],
  ])('%s needs a confirmation: %s', (foreground, program) => {
    expect(runningProgram(foreground)).toBe(program);
  });
});

describe('settings', () => {
  it('are stored under one key and read again', () => {
    const storage = new FakeStorage();
    new SettingsStore(storage).change({ theme: 'sand', fontSize: 18 });
    expect(storage.keys).toEqual([SETTINGS_KEY]);
    expect(new SettingsStore(storage).current).toEqual({ ...DEFAULT_SETTINGS, theme: 'sand', fontSize: 18 });
  });

  it.each([
    ['nothing', null, {}],
    ['no JSON', '{', {}],
    ['one invalid value among valid ones', '{"theme":"pink","copyOnSelect":true}', { copyOnSelect: true }],
    ['a size that is too small to read', '{"fontSize":2}', {}],
    ['data of a newer version', '{"theme":"dark","hologram":true}', { theme: 'dark' }],
    ['a list', '[]', {}],
  ])('of %s keep what is valid', (_, text, kept) => {
    expect(readSettings(text)).toEqual({ ...DEFAULT_SETTINGS, ...kept });
  });

  it('of another window are adopted, and listeners are told', () => {
    const storage = new FakeStorage();
    const [here, there] = [new SettingsStore(storage), new SettingsStore(storage)];
    let told = 0;
    here.onChange(() => told++);
    there.change({ theme: 'contrast' });
    here.reload();
    expect(here.current.theme).toBe('contrast');
    expect(told).toBe(1);
  });
});

describe('fitting', () => {
  const cell = { width: 9, height: 18 };

  it.each([
    ['a window', { width: 900, height: 540 }, { cols: 100, rows: 30 }],
    ['a part of a cell', { width: 908, height: 557 }, { cols: 100, rows: 30 }],
    ['nothing, hidden', { width: 0, height: 0 }, null],
    ['a wall', { width: 90_000, height: 90_000 }, { cols: 1000, rows: 1000 }],
    ['a slit', { width: 5, height: 5 }, { cols: 2, rows: 1 }],
  ])('%s', (_, room, size) => {
    expect(fitSize(room, cell)).toEqual(size);
  });

  it('shows a larger terminal in a smaller font, within limits, and a smaller one unchanged', () => {
    const room = { width: 450, height: 540 };
    expect(fontToFit(room, cell, { cols: 75, rows: 30 }, 15)).toBe(10);
    expect(fontToFit(room, cell, { cols: 1000, rows: 30 }, 15)).toBe(8);
    expect(fontToFit(room, cell, { cols: 40, rows: 10 }, 15)).toBe(15);
  });
});
