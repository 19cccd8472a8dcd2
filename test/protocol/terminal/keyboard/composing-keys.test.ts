/** Input methods, dead keys, AltGr and Option type their characters, whatever a program has asked for. */
import { describe, expect, it } from 'vitest';
import { encodeKey } from '../../../../protocol/terminal/keyboard/encode-key.ts';
import type { KeyEvent, OptionKey } from '../../../../protocol/terminal/keyboard/key-event.ts';
import { pressed } from './key-events.ts';

/** What is sent, without CSI; or who gets the key instead. */
function sent(event: KeyEvent, flags: number, option: OptionKey = 'none'): string {
  const encoded = encodeKey(event, { flags, otherKeys: 0, option, hasHistory: true });
  return typeof encoded === 'string' ? encoded : encoded.send.replace('\x1b[', 'CSI ');
}

describe('[T2] keys that compose text', () => {
  it.each([
    ['an input method', { key: 'Process', keyCode: 229 }],
    ['a composition', { isComposing: true }],
    ['a phone', { key: 'Unidentified', keyCode: 229 }],
  ])('stay with the browser: %s', (_, more) => {
    for (const flags of [0, 1, 31]) {
      expect(sent(pressed('a', more), flags)).toBe('terminal');
      expect(sent(pressed('Enter', more), flags)).toBe('terminal');
    }
  });

  it('dead keys: xterm sees them only if it gets the character too', () => {
    expect(sent(pressed('Dead'), 1)).toBe('terminal');
    expect(sent(pressed('Dead'), 8)).toBe('browser');
    expect(sent(pressed('e', { key: 'é' }), 1)).toBe('terminal');
  });

  const at = { key: '@', code: 'KeyQ', keyCode: 81, states: ['AltGraph'] };
  it('AltGr types its character, also where it is reported as Ctrl and Alt', () => {
    for (const name of ['q', 'ctrl+alt+q']) {
      expect(sent(pressed(name, at), 1)).toBe('terminal');
      expect(sent(pressed(name, at), 24)).toBe('CSI 113;;64u');
    }
  });

  it('AltGr with a key that types nothing is Alt', () => {
    expect(sent(pressed('alt+Enter', { states: ['AltGraph'] }), 1)).toBe('CSI 13;3u');
  });

  const option = { key: 'å', code: 'KeyA', keyCode: 65 };
  it('[U4] Option types its character, unless it is the Meta key', () => {
    expect(sent(pressed('alt+a', option), 1, 'types')).toBe('terminal');
    expect(sent(pressed('alt+a', option), 24, 'types')).toBe('CSI 97;;229u');
    expect(sent(pressed('alt+a', option), 1, 'meta')).toBe('CSI 97;3u');
    expect(sent(pressed('ctrl+alt+a', option), 1, 'types')).toBe('CSI 97;7u');
    expect(sent(pressed('alt+Enter'), 1, 'types')).toBe('CSI 13;3u');
  });
});
