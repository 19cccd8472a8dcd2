/** The agent's terminal answers what programs ask about the keyboard, and a restored one has the same answers. */
import { describe, expect, it } from 'vitest';
import { PROGRAM_RESET } from '../../../protocol/terminal/divider.ts';
import { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { ansi, bytesOf, expectSame } from './terminal-state.ts';

const SIZE = { cols: 20, rows: 5 };

function screen() {
  const answers: string[] = [];
  const events = {
    answer: (text: string) => answers.push(text),
    report() {},
    title() {},
    cwd() {},
    progress() {},
    bell() {},
  };
  const emulator = new Emulator({ size: SIZE, scrollbackLines: 10, events });
  const prints = (text: string) => {
    emulator.write(bytesOf(text));
    return answers.splice(0);
  };
  return { emulator, prints, answers };
}

/** A fresh terminal that was given the snapshot. */
function restored(from: Emulator) {
  const copy = screen();
  copy.emulator.restore(ansi(from));
  expect(copy.answers).toEqual([]);
  expectSame(copy.emulator, from);
  return copy;
}

const ASK = '\x1b[?u\x1b[?4m';

describe('[T2] the keyboard of a terminal', () => {
  it('is told to programs that ask', () => {
    const { prints } = screen();
    expect(prints(ASK)).toEqual(['\x1b[?0u', '\x1b[>4;0m']);
    expect(prints(`\x1b[>5u\x1b[>4;2m${ASK}`)).toEqual(['\x1b[?5u', '\x1b[>4;2m']);
    expect(prints('\x1b[?1m\x1b[?m')).toEqual([]);
  });

  it('is answered before the device attributes, so that a program knows that there is a protocol', () => {
    expect(screen().prints('\x1b[?u\x1b[c')[0]).toBe('\x1b[?0u');
  });

  it.each(['?47', '?1047', '?1049'])('belongs to the screen that is shown: %s', (mode) => {
    const { prints } = screen();
    prints(`\x1b[>1u\x1b[${mode}h`);
    expect(prints('\x1b[?u')).toEqual(['\x1b[?0u']);
    prints(`\x1b[>31u\x1b[${mode}l`);
    expect(prints('\x1b[?u')).toEqual(['\x1b[?1u']);
    prints(`\x1b[${mode}h`);
    expect(prints('\x1b[?u')).toEqual(['\x1b[?31u']);
  });

  it.each([
    ['RIS', '\x1bc'],
    ['DECSTR', '\x1b[!p'],
    ['what follows the end of a program', PROGRAM_RESET],
  ])('is reset by %s, on both screens', (_, reset) => {
    const { prints } = screen();
    prints(`\x1b[=3u\x1b[>1u\x1b[>4;2m\x1b[?1049h\x1b[>31u${reset}\x1b[?1049l`);
    expect(prints(`${ASK}\x1b[<u\x1b[?u\x1b[?1049h\x1b[?u`)).toEqual([
      '\x1b[?0u',
      '\x1b[>4;0m',
      '\x1b[?0u',
      '\x1b[?0u',
    ]);
  });

  it.each([
    ['on the normal screen', '\x1b[=2u\x1b[>0u\x1b[>5u\x1b[>4;1m'],
    ['on the alternate screen', '\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[>7u'],
    ['left on the alternate screen', '\x1b[?1049h\x1b[>5u\x1b[?1049l\x1b[>1u'],
    ['with as many as it may have', Array.from({ length: 9 }, (_, at) => `\x1b[>${at}u`).join('')],
  ])('is restored: %s', (_, output) => {
    const { emulator, prints } = screen();
    prints(`one\r\ntwo${output}`);
    const copy = restored(emulator);
    const ALL = `${ASK}\x1b[<u\x1b[?u\x1b[<u\x1b[?u\x1b[?1049l\x1b[?u`;
    expect(copy.prints(ALL)).toEqual(prints(ALL));
  });
});
