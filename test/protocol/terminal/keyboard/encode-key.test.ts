/** What keys send by the kitty keyboard protocol. */
import { describe, expect, it } from 'vitest';
import { encodeKey } from '../../../../protocol/terminal/keyboard/encode-key.ts';
import type { KeyEvent, OptionKey } from '../../../../protocol/terminal/keyboard/key-event.ts';
import { pressed, released, repeated } from './key-events.ts';

/** What is sent, without CSI; or who gets the key instead. */
function sent(event: KeyEvent, flags: number, option: OptionKey = 'none'): string {
  const encoded = encodeKey(event, { flags, otherKeys: 0, option, hasHistory: true });
  return typeof encoded === 'string' ? encoded : encoded.send.replace('\x1b[', 'CSI ');
}

const keypad = (code: string, key: string) => pressed(code, { key, code: `Numpad${code}` });

describe('[T2] [U8] flag 1: keys that would be taken for others', () => {
  it.each([
    ['Enter', '\r'],
    ['shift+Enter', 'CSI 13;2u'],
    ['ctrl+Enter', 'CSI 13;5u'],
    ['alt+Enter', 'CSI 13;3u'],
    ['super+Enter', 'CSI 13;9u'],
    ['Backspace', '\x7f'],
    ['ctrl+Backspace', 'CSI 127;5u'],
    ['alt+Backspace', 'CSI 127;3u'],
    ['Tab', '\t'],
    ['shift+Tab', 'CSI 9;2u'],
    ['ctrl+Tab', 'CSI 9;5u'],
    ['Escape', 'CSI 27u'],
    ['shift+Escape', 'CSI 27;2u'],
    ['ctrl+c', 'CSI 99;5u'],
    ['ctrl+shift+a', 'CSI 97;6u'],
    ['alt+a', 'CSI 97;3u'],
    ['alt+shift+a', 'CSI 97;4u'],
    ['ctrl+alt+a', 'CSI 97;7u'],
    ['ctrl+/', 'CSI 47;5u'],
    ['ctrl+shift+/', 'CSI 47;6u'],
    ['ctrl+shift+1', 'CSI 49;6u'],
    ['ctrl+ ', 'CSI 32;5u'],
    ['alt+[', 'CSI 91;3u'],
  ])('%s sends %s', (name, expected) => {
    expect(sent(pressed(name), 1)).toBe(expected);
  });

  it('knows the digit of a key that types another symbol with Shift than on a US keyboard', () => {
    expect(sent(pressed('ctrl+shift+7', { key: '/' }), 1)).toBe('CSI 55;6u');
  });

  it.each(['a', 'shift+a', '5', 'shift+5', ' ', 'shift+ '])('%s types text, as without it', (name) => {
    expect(sent(pressed(name), 1)).toBe('terminal');
  });

  it.each(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock', 'NumLock', 'ScrollLock', 'AltGraph'])(
    '%s alone sends nothing',
    (key) => {
      expect(sent(pressed(key, { code: `${key}Left` }), 1)).toBe('terminal');
    },
  );

  it('[U4] leaves combinations of Command with a character to the browser', () => {
    for (const flags of [1, 31]) {
      expect(sent(pressed('super+c'), flags)).toBe('terminal');
      expect(sent(released('super+c'), flags)).toBe('terminal');
    }
  });

  it.each(['shift+PageUp', 'shift+PageDown'])('leaves %s to the terminal, if it can scroll', (name) => {
    for (const hasHistory of [true, false]) {
      const encoded = encodeKey(pressed(name), { flags: 31, otherKeys: 0, option: 'none', hasHistory });
      expect(encoded === 'terminal').toBe(hasHistory);
    }
    expect(sent(pressed('ctrl+PageUp'), 1)).toBe('CSI 5;5~');
  });

  it('leaves copying and pasting with Insert to the terminal', () => {
    for (const name of ['shift+Insert', 'ctrl+Insert']) expect(sent(pressed(name), 31)).toBe('terminal');
    expect(sent(pressed('Insert'), 1)).toBe('CSI 2~');
    expect(sent(pressed('alt+Insert'), 1)).toBe('CSI 2;3~');
  });

  it('leaves keys that it does not know to the browser', () => {
    expect(sent(pressed('BrowserBack'), 31)).toBe('terminal');
    expect(sent(pressed('AudioVolumeUp'), 31)).toBe('terminal');
  });
});

describe('[T2] functional keys', () => {
  const TABLE: readonly (readonly [key: string, plain: string, withCtrl: string])[] = [
    ['Delete', '3~', '3;5~'],
    ['PageUp', '5~', '5;5~'],
    ['PageDown', '6~', '6;5~'],
    ['ArrowUp', 'A', '1;5A'],
    ['ArrowDown', 'B', '1;5B'],
    ['ArrowRight', 'C', '1;5C'],
    ['ArrowLeft', 'D', '1;5D'],
    ['Home', 'H', '1;5H'],
    ['End', 'F', '1;5F'],
    ['PrintScreen', '57361u', '57361;5u'],
    ['Pause', '57362u', '57362;5u'],
    ['ContextMenu', '57363u', '57363;5u'],
    ['F1', 'P', '1;5P'],
    ['F2', 'Q', '1;5Q'],
    ['F3', '13~', '13;5~'],
    ['F4', 'S', '1;5S'],
    ['F5', '15~', '15;5~'],
    ['F6', '17~', '17;5~'],
    ['F7', '18~', '18;5~'],
    ['F8', '19~', '19;5~'],
    ['F9', '20~', '20;5~'],
    ['F10', '21~', '21;5~'],
    ['F11', '23~', '23;5~'],
    ['F12', '24~', '24;5~'],
    ['F13', '57376u', '57376;5u'],
    ['F24', '57387u', '57387;5u'],
    ['F35', '57398u', '57398;5u'],
  ];

  it.each(TABLE)('%s sends CSI %s, with Ctrl CSI %s', (key, plain, withCtrl) => {
    expect(sent(pressed(key), 1)).toBe(`CSI ${plain}`);
    expect(sent(pressed(`ctrl+${key}`), 1)).toBe(`CSI ${withCtrl}`);
    expect(sent(pressed(key), 8)).toBe(`CSI ${plain}`);
  });

  it.each([
    ['Enter', 'Enter', '57414u'],
    ['4', 'ArrowLeft', '57417u'],
    ['6', 'ArrowRight', '57418u'],
    ['8', 'ArrowUp', '57419u'],
    ['2', 'ArrowDown', '57420u'],
    ['9', 'PageUp', '57421u'],
    ['3', 'PageDown', '57422u'],
    ['7', 'Home', '57423u'],
    ['1', 'End', '57424u'],
    ['0', 'Insert', '57425u'],
    ['Decimal', 'Delete', '57426u'],
    ['5', 'Clear', 'E'],
  ])('%s of the keypad as %s sends CSI %s', (code, key, expected) => {
    expect(sent(keypad(code, key), 1)).toBe(`CSI ${expected}`);
  });

  it.each([
    ['0', '0', 57_399],
    ['9', '9', 57_408],
    ['Decimal', '.', 57_409],
    ['Divide', '/', 57_410],
    ['Multiply', '*', 57_411],
    ['Subtract', '-', 57_412],
    ['Add', '+', 57_413],
    ['Equal', '=', 57_415],
    ['Comma', ',', 57_416],
  ])('%s of the keypad types %s, and is a key of its own if all keys send sequences', (code, key, number) => {
    expect(sent(keypad(code, key), 1)).toBe('terminal');
    expect(sent(keypad(code, key), 8)).toBe(`CSI ${number}u`);
    expect(sent(keypad(code, key), 24)).toBe(`CSI ${number};;${key.charCodeAt(0)}u`);
  });
});

describe('[T2] CapsLock and NumLock', () => {
  const states = ['CapsLock', 'NumLock'];
  it.each([
    ['Escape', 'CSI 27;193u'],
    ['ArrowUp', 'CSI 1;193A'],
    ['ctrl+Enter', 'CSI 13;197u'],
    ['Enter', '\r'],
    ['Tab', '\t'],
    ['Backspace', '\x7f'],
  ])('are modifiers, but not of keys that send a byte: %s sends %j', (name, expected) => {
    expect(sent(pressed(name, { states }), 1)).toBe(expected);
  });

  it('are modifiers of every key if all keys send sequences', () => {
    expect(sent(pressed('Enter', { states: ['NumLock'] }), 8)).toBe('CSI 13;129u');
    expect(sent(pressed('a', { key: 'A', states: ['CapsLock'] }), 8)).toBe('CSI 97;65u');
    expect(sent(pressed('ctrl+c', { key: 'C', states: ['CapsLock'] }), 1)).toBe('CSI 99;69u');
  });
});

describe('[T2] flag 2: event types', () => {
  it.each([
    ['Escape', 'CSI 27u', 'CSI 27;1:2u', 'CSI 27;1:3u'],
    ['ArrowUp', 'CSI A', 'CSI 1;1:2A', 'CSI 1;1:3A'],
    ['Delete', 'CSI 3~', 'CSI 3;1:2~', 'CSI 3;1:3~'],
    ['ctrl+a', 'CSI 97;5u', 'CSI 97;5:2u', 'CSI 97;5:3u'],
    ['a', 'terminal', 'terminal', 'CSI 97;1:3u'],
    ['Enter', '\r', '\r', 'terminal'],
    ['shift+Enter', 'CSI 13;2u', 'CSI 13;2:2u', 'terminal'],
    ['Tab', '\t', '\t', 'terminal'],
    ['Backspace', '\x7f', '\x7f', 'terminal'],
  ])('%s sends %s, repeated %s, released %s', (name, press, repeat, release) => {
    expect([sent(pressed(name), 3), sent(repeated(name), 3), sent(released(name), 3)]).toEqual([
      press,
      repeat,
      release,
    ]);
  });

  it('is needed for both: without it, repeated keys are pressed ones, and released keys send nothing', () => {
    expect([sent(repeated('Escape'), 1), sent(released('Escape'), 1)]).toEqual(['CSI 27u', 'terminal']);
  });

  it('with flag 8, Enter, Tab and Backspace are released too', () => {
    for (const [key, number] of Object.entries({ Enter: 13, Tab: 9, Backspace: 127 }))
      expect(sent(released(key), 10)).toBe(`CSI ${number};1:3u`);
  });
});

describe('[T2] flag 4: alternate keys', () => {
  const cyrillic = { key: 'с', code: 'KeyC', keyCode: 67 };
  it.each([
    ['with Shift', pressed('ctrl+shift+a'), 'CSI 97:65;6u'],
    ['with Shift, of a symbol', pressed('ctrl+shift+='), 'CSI 61:43;6u'],
    ['with Shift and CapsLock', pressed('ctrl+shift+a', { key: 'a' }), 'CSI 97:65;6u'],
    ['at the same place of a US keyboard', pressed('ctrl+c', cyrillic), 'CSI 1089::99;5u'],
    ['both', pressed('ctrl+shift+c', { ...cyrillic, key: 'С' }), 'CSI 1089:1057:99;6u'],
    ['none', pressed('ctrl+a'), 'CSI 97;5u'],
    ['none of a functional key', pressed('shift+Enter'), 'CSI 13;2u'],
  ])('%s', (_, event, expected) => {
    expect(sent(event, 5)).toBe(expected);
  });

  it('alone changes nothing', () => {
    expect(sent(pressed('ctrl+shift+a'), 4)).toBe('terminal');
    expect(sent(pressed('Escape'), 20)).toBe('terminal');
  });
});

describe('[T2] flag 8: all keys', () => {
  it.each([
    ['a', 'CSI 97u'],
    ['shift+a', 'CSI 97;2u'],
    ['shift+1', 'CSI 49;2u'],
    [' ', 'CSI 32u'],
    ['Enter', 'CSI 13u'],
    ['Tab', 'CSI 9u'],
    ['Backspace', 'CSI 127u'],
    ['Escape', 'CSI 27u'],
  ])('%s sends %s', (name, expected) => {
    expect(sent(pressed(name), 8)).toBe(expected);
  });

  it.each([
    ['Shift', 'ShiftLeft', 57_441],
    ['Control', 'ControlLeft', 57_442],
    ['Alt', 'AltLeft', 57_443],
    ['Meta', 'MetaLeft', 57_444],
    ['Shift', 'ShiftRight', 57_447],
    ['Control', 'ControlRight', 57_448],
    ['Alt', 'AltRight', 57_449],
    ['Meta', 'MetaRight', 57_450],
    ['AltGraph', 'AltRight', 57_453],
    ['CapsLock', 'CapsLock', 57_358],
    ['ScrollLock', 'ScrollLock', 57_359],
    ['NumLock', 'NumLock', 57_360],
  ])('%s (%s) sends %s', (key, code, number) => {
    expect(sent(pressed(key, { code }), 8)).toBe(`CSI ${number}u`);
    expect(sent(released(key, { code }), 10)).toBe(`CSI ${number};1:3u`);
  });

  it('a modifier counts for itself as the browser says', () => {
    expect(sent(pressed('shift+Shift', { code: 'ShiftLeft' }), 8)).toBe('CSI 57441;2u');
  });
});

describe('[T2] flag 16: the text', () => {
  it.each([
    ['a letter', pressed('a'), 'CSI 97;;97u'],
    ['with Shift', pressed('shift+a'), 'CSI 97;2;65u'],
    ['of two characters', pressed('b', { key: 'لا', keyCode: 66 }), 'CSI 1604;;1604:1575u'],
    ['beyond the first plane', pressed('e', { key: '😀' }), 'CSI 128512;;128512u'],
    ['not with Ctrl', pressed('ctrl+a'), 'CSI 97;5u'],
    ['not of Enter', pressed('Enter'), 'CSI 13u'],
  ])('%s', (_, event, expected) => {
    expect(sent(event, 24)).toBe(expected);
  });

  it('is in repeated keys, but not in released ones', () => {
    expect(sent(repeated('a'), 26)).toBe('CSI 97;1:2;97u');
    expect(sent(released('a'), 26)).toBe('CSI 97;1:3u');
  });
});
