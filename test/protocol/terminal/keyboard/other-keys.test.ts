/** What keys send by xterm's modifyOtherKeys, and if nobody has asked for anything. */
import { describe, expect, it } from 'vitest';
import { encodeKey, isEnter } from '../../../../protocol/terminal/keyboard/encode-key.ts';
import type { KeyEvent, OptionKey } from '../../../../protocol/terminal/keyboard/key-event.ts';
import type { OtherKeysLevel } from '../../../../protocol/terminal/keyboard/key-modes.ts';
import { pressed, released } from './key-events.ts';

function sent(event: KeyEvent, otherKeys: OtherKeysLevel, option: OptionKey = 'none'): string {
  const encoded = encodeKey(event, { flags: 0, otherKeys, option, hasHistory: true });
  return typeof encoded === 'string' ? encoded : encoded.send.replace('\x1b[27;', '27;');
}

describe('[T2] [U8] modifyOtherKeys', () => {
  it.each([
    ['Enter', 'terminal', 'terminal'],
    ['shift+Enter', '27;2;13~', '27;2;13~'],
    ['ctrl+Enter', '27;5;13~', '27;5;13~'],
    ['alt+Enter', 'terminal', '27;3;13~'],
    ['ctrl+alt+Enter', '27;7;13~', '27;7;13~'],
    ['shift+Tab', 'terminal', '27;2;9~'],
    ['ctrl+Tab', '27;5;9~', '27;5;9~'],
    ['Backspace', 'terminal', 'terminal'],
    ['ctrl+Backspace', 'terminal', '27;5;127~'],
    ['shift+Escape', 'terminal', '27;2;27~'],
    ['a', 'terminal', 'terminal'],
    ['shift+a', 'terminal', 'terminal'],
    ['ctrl+c', 'terminal', '27;5;99~'],
    ['ctrl+shift+a', '27;6;65~', '27;6;65~'],
    ['alt+a', 'terminal', '27;3;97~'],
    ['alt+shift+a', 'terminal', '27;4;65~'],
    ['ctrl+;', '27;5;59~', '27;5;59~'],
    ['ctrl+1', '27;5;49~', '27;5;49~'],
    ['ctrl+2', 'terminal', '27;5;50~'],
    ['ctrl+shift+2', 'terminal', '27;6;64~'],
    ['ctrl+ ', 'terminal', '27;5;32~'],
    ['ctrl+/', '\x1f', '27;5;47~'],
    ['ctrl+]', 'terminal', '27;5;93~'],
    ['ctrl+ArrowUp', 'terminal', 'terminal'],
    ['super+c', 'terminal', 'terminal'],
    ['ctrl+super+c', 'terminal', 'terminal'],
  ])('%s sends %s at level 1, %s at level 2', (name, first, second) => {
    expect([sent(pressed(name), 1), sent(pressed(name), 2)]).toEqual([first, second]);
  });

  it('sends nothing for a released key', () => {
    expect(sent(released('ctrl+Enter'), 2)).toBe('terminal');
  });

  it('gives way to the kitty keyboard protocol', () => {
    expect(
      encodeKey(pressed('ctrl+Enter'), { flags: 1, otherKeys: 2, option: 'none', hasHistory: true }),
    ).toEqual({
      send: '\x1b[13;5u',
    });
  });

  it('[U4] knows AltGr and Option', () => {
    const at = { key: '@', code: 'KeyQ', keyCode: 81 };
    expect(sent(pressed('ctrl+alt+q', { ...at, states: ['AltGraph'] }), 2)).toBe('terminal');
    expect(sent(pressed('alt+q', at), 2, 'types')).toBe('terminal');
    expect(sent(pressed('alt+q', at), 2, 'meta')).toBe('27;3;113~');
  });

  it('does not count CapsLock', () => {
    expect(sent(pressed('ctrl+c', { key: 'C', states: ['CapsLock'] }), 2)).toBe('27;5;99~');
  });
});

describe('if nobody has asked', () => {
  it('[U18] Ctrl+/ sends the byte that shells and Emacs take for undo', () => {
    expect(sent(pressed('ctrl+/'), 0)).toBe('\x1f');
    expect(sent(pressed('ctrl+shift+7', { key: '/' }), 0)).toBe('\x1f');
  });

  it.each(['/', 'alt+/', 'ctrl+alt+/', 'super+/', 'ctrl+c', 'shift+Enter', 'ctrl+Backspace', 'Escape'])(
    '%s is left to xterm',
    (name) => {
      expect(sent(pressed(name), 0)).toBe('terminal');
      expect(sent(released(name), 0)).toBe('terminal');
    },
  );
});

describe('[U17] Enter is recognised', () => {
  it.each([
    ...['\r', '\x1b[13u', '\x1b[13;1:1u', '\x1b[13;129u', '\x1b[13;129:2u', '\x1b[57414u'].map((sent) => [
      sent,
      true,
    ]),
    ...['\n', 'ls\r', '\x1b[13;2u', '\x1b[13;1:3u', '\x1b[27u', '\x1b[13~', '\x1b[13ux'].map((sent) => [
      sent,
      false,
    ]),
  ] as [string, boolean][])('%j: %s', (sent, isOne) => {
    expect(isEnter(sent)).toBe(isOne);
  });
});
