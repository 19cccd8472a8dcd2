/**
 * The page and the agent interpret output in the same way. The page's terminal is the headless one here, protected as
 * in the page: parser and buffers are the same.
 */
import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { LINK_MAX_CHARS } from '../../../../protocol/limits.ts';
import { TerminalImages } from '../../../../protocol/terminal/images/terminal-images.ts';
import { keyModesOf } from '../../../../protocol/terminal/keyboard/key-modes.ts';
import { MarkRows } from '../../../../protocol/terminal/marks/mark-rows.ts';
import { WidthMode } from '../../../../protocol/terminal/width/width-mode.ts';
import { Emulator } from '../../../../vm-agent/screen/emulator.ts';
import type { XtermColorRequest, XtermCore } from '../../../../vm-agent/screen/xterm/xterm.ts';
import { restrictOutput } from '../../../../web/ui/terminal/hostile-output.ts';
import { WORDS } from '../../../protocol/terminal/width/measured-texts.ts';
import { pngHeader } from '../../../support/png.ts';
import { bytesOf, NONCE, stateOf, terminal } from '../../../vm-agent/screen/terminal-state.ts';

const SIZE = { cols: 12, rows: 3 };

/** What a terminal was told to set, in order; queries are left out. */
function colorsSetOn({ _inputHandler: input }: XtermCore): string[] {
  const set: string[] = [];
  input.onColor((requests: readonly XtermColorRequest[]) => {
    for (const { type, index, color } of requests) if (type === 1) set.push(`${index}: ${color?.join()}`);
  });
  return set;
}

/** State, colours and answers of the page's terminal after this output. */
async function page(output: string) {
  const xterm = new Terminal({ ...SIZE, scrollback: 100, allowProposedApi: true, logLevel: 'off' });
  const core = (xterm as unknown as { readonly _core: XtermCore })._core;
  const colors = colorsSetOn(core);
  const answers: string[] = [];
  xterm.onData((data) => answers.push(data));
  restrictOutput(xterm);
  new WidthMode(xterm, core);
  const keys = keyModesOf(core);
  const marks = new MarkRows(xterm, core);
  marks.begin(NONCE);
  const images = new TerminalImages(core);
  await new Promise<void>((resolve) => xterm.write(bytesOf(output), resolve));
  const as = { xterm: { terminal: xterm, core }, keys, marks, images } as unknown as Emulator;
  return { state: stateOf(as), colors, answers };
}

function agent(output: string) {
  const emulator = terminal(SIZE, 100);
  const colors = colorsSetOn(emulator.xterm.core);
  emulator.write(bytesOf(output));
  // The page does not have the modes that make a terminal report.
  return { state: { ...stateOf(emulator), modes: undefined }, colors };
}

const link = (uri: string, text: string) => `\x1b]8;;${uri}\x1b\\${text}\x1b]8;;\x1b\\`;

describe('the page shows the same as the agent', () => {
  it.each([
    [
      'the marks of a shell',
      `\x1b]133;A;nonce=${NONCE}\x07$ ls\r\n\x1b]133;C;nonce=${NONCE};n=3;cmdline_url=ls\x07a\r\nb\x1b]133;D;1;nonce=${NONCE};n=3\x07`,
    ],
    [
      'marks that anybody can print',
      '\x1b]633;A\x07$ x\r\n\x1b]633;E;x\x07\x1b]633;C\x07y\x1b[H\x1b[2J\x1b]633;D\x07',
    ],
    ['a colour that is set and asked for in one sequence', '\x1b]4;0;rgb:f0/00/00;0;?\x07x'],
    ['a colour that is set in one pair and asked for in the next', '\x1b]4;0;rgb:f0/00/00;1;?\x07x'],
    ['a colour that is set with a question that is not finished', '\x1b]4;0;rgb:f0/00/00;?\x07x'],
    ['a colour that is asked for first', '\x1b]4;1;?;2;#00ff00\x07x'],
    ['foreground and cursor set, background asked for', '\x1b]10;#111111;?;#333333\x07x'],
    ['a repeated character with many marks', `e${'\u0301'.repeat(9)}\x1b[99b`],
    ['a repeated character in insert mode', '\x1b[4hx\x1b[99b'],
    ['a link of the longest length', link(`http://a/${'b'.repeat(LINK_MAX_CHARS - 10)}`, 'there')],
    ['a link that is one longer', link(`http://a/${'b'.repeat(LINK_MAX_CHARS - 9)}`, 'there')],
    ['a link whose first line is deleted while it is open', '\x1b]8;;d\x1b[M2'],
    ['a link whose first line is deleted, and which goes on below', '\x1b]8;;http://a/\x07one\x1b[M\r\ntwo'],
    ['a mode that is set together with reports', '\x1b[?2004;2048;2031;1004hx'],
    ['an emoji of several characters', '👩‍🚀|🇩🇪🇫🇷|1️⃣'],
    ['a mark without a character', '\x1b[2;3H\u0301x'],
    ['measuring by code points', '\x1b[?2027l👩‍🚀|'],
    [
      'the keyboard asked for, on both screens',
      '\x1b[=1u\x1b[>5u\x1b[?u\x1b[?1049h\x1b[>31u\x1b[>4;2m\x1b[?4mx',
    ],
    ['the keyboard reset', '\x1b[>5u\x1b[>4;2m\x1b[?1049h\x1b[>31u\x1b[!p\x1b[>3u'],
    ['a sixel image', 'a\r\n\x1bPq"1;1;40;30#1~-\x1b\\b'],
    ['an image in a file', `\x1b]1337;File=inline=1;width=5:${pngHeader(90, 70)}\x07b`],
    ['an image that is too large', `\x1b]1337;File=inline=1:${pngHeader(9000, 7)}\x07b`],
    ['an image that scrolls, and text over it', '\r\n\x1bPq"1;1;40;70~\x1b\\\x1b[2;2Hxy'],
    ['a program that asks for the size of images', '\x1b[?2;1;0S\x1b[14t\x1b[16t\x1b[cx'],
    ['everything erased up to the bottom right corner', 'one\x1b[3;12H\x1b[1Jtwo'],
    ['everything unprotected erased up to the bottom right corner', 'one\x1b[3;12H\x1b[?1Jtwo'],
  ])('[D9] after %s', async (_what, output) => {
    const { state, colors, answers } = await page(output);
    expect({ state, colors }).toEqual(agent(output));
    expect(answers).toEqual([]);
  });

  it.each(Object.entries(WORDS))('[T1] after %s text', async (_, words) => {
    for (const word of words) expect((await page(word)).state).toEqual(agent(word).state);
  });

  it('[D9] sets the colour, and only the agent answers', async () => {
    expect((await page('\x1b]4;0;rgb:f0/00/00;0;?\x07')).colors).toEqual(['0: 240,0,0']);
    const answers: string[] = [];
    const events = {
      answer: (text: string) => answers.push(text),
      report() {},
      title() {},
      progress() {},
      cwd() {},
      bell() {},
    };
    new Emulator({ size: SIZE, scrollbackLines: 0, events }).write(bytesOf('\x1b]4;0;rgb:f0/00/00;0;?\x07'));
    expect(answers).toEqual(['\x1b]4;0;rgb:f0f0/0000/0000\x1b\\']);
  });
});
