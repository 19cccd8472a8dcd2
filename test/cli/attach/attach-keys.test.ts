/** The keyboard of `holdfast attach`: the detach key, keys by name, and what a program may ask of the user's terminal. */
import { describe, expect, it } from 'vitest';
import { DetachKey, readDetachKey } from '../../../cli/attach/detach-key.ts';
import { PLAIN, TtyScreen } from '../../../cli/attach/tty-screen.ts';
import { pressedBytes } from '../../../cli/client/keys.ts';

describe('the detach key', () => {
  const take = (key: DetachKey, text: string) => {
    const { typed, detaches } = key.take(Buffer.from(text, 'latin1'));
    return [Buffer.from(typed).toString('latin1'), detaches];
  };

  it('ends the input before it', () => {
    const key = new DetachKey('\x1d');
    expect(take(key, 'ls\r')).toEqual(['ls\r', false]);
    expect(take(key, 'ls\x1drm')).toEqual(['ls', true]);
  });

  it('is plain text inside a paste, even one that is split anywhere', () => {
    const pasted = '\x1b[200~a\x1db\x1b[201~';
    for (let cut = 6; cut < pasted.length; cut++) {
      const key = new DetachKey('\x1d');
      expect(take(key, pasted.slice(0, cut))[1]).toBe(false);
      expect(take(key, pasted.slice(cut))[1]).toBe(false);
      expect(take(key, '\x1d')).toEqual(['', true]);
    }
  });

  it.each([
    ['\x1d', '\x1b[93;5u', 'the kitty keyboard protocol'],
    ['\x1d', '\x1b[93;197u', 'with CapsLock and NumLock'],
    ['\x1d', '\x1b[93;5:2u', 'repeated'],
    ['\x1d', '\x1b[93::93;5:1u', 'with alternate keys'],
    ['\x1d', '\x1b[27;5;93~', 'modifyOtherKeys'],
    ['\x11', '\x1b[113;5u', 'a letter'],
    ['\x1f', '\x1b[45:95;6u', 'a character that needs Shift'],
  ])('is also found if the program has asked for other keys: %j as %j, %s', (key, sequence) => {
    expect(take(new DetachKey(key), `ls${sequence}rm`)).toEqual(['ls', true]);
    expect(take(new DetachKey(key), `\x1b[200~${sequence}\x1b[201~`)[1]).toBe(false);
  });

  it.each(['\x1b[93;5:3u', '\x1b[93;3u', '\x1b[93u', '\x1b[193;5u', '\x1b[27;3;93~', '\x1b[93;5~'])(
    '%j is another key',
    (sequence) => {
      expect(take(new DetachKey('\x1d'), sequence)).toEqual([sequence, false]);
    },
  );

  it.each([
    ['ctrl-]', '\x1d'],
    ['ctrl-q', '\x11'],
    ['^\\', '\x1c'],
    ['none', null],
  ])('%s is %j', (name, key) => {
    expect(readDetachKey(name)).toBe(key);
  });

  it.each(['x', 'enter', 'ctrl-m', 'ctrl-1', ''])('%j is not a detach key', (name) => {
    expect(() => readDetachKey(name)).toThrow(/key/);
  });
});

describe('keys by name', () => {
  it.each([
    ['enter', '\r'],
    ['ctrl-c', '\x03'],
    ['C-d', '\x04'],
    ['Up', '\x1b[A'],
    ['[U18] f1', '\x1bOP'],
    ['[U18] F5', '\x1b[15~'],
    ['[U18] f12', '\x1b[24~'],
    ['[U18] shift-tab', '\x1b[Z'],
    ['insert', '\x1b[2~'],
  ])('%s is %j', (title, sent) => {
    const name = title.replace('[U18] ', '');
    expect(pressedBytes(name)).toBe(sent);
  });
});

describe('the terminal of `holdfast attach`', () => {
  it.each([
    ['flags that were pushed', '\x1b[>1u\x1b[>5u', '\x1b[<u'],
    ['flags that were set', '\x1b[=1u', '\x1b[<u'],
    ['modifyOtherKeys', '\x1b[>4;2m', '\x1b[>4m'],
    ['flags of both screens', '\x1b[>1u\x1b[?1049h\x1b[>5u', '\x1b[<u\x1b[?1049l\x1b[<u'],
    ['flags that are given back already', '\x1b[>1u\x1b[>4;1m\x1b[<u\x1b[>4m', ''],
  ])('[OU14] [T2] has its own keyboard again after %s', (_what, output, back) => {
    const written: string[] = [];
    const screen = new TtyScreen({ size: { cols: 30, rows: 4 }, write: (text) => written.push(text) });
    screen.write(new TextEncoder().encode(output), () => {});
    expect(screen.plain()).toBe(back + PLAIN);
    screen.close();
    expect(written.at(-1)).toContain(back + PLAIN);
    // The last words of the process take nothing that is no longer there.
    expect(screen.plain()).toBe(PLAIN);
  });
});
