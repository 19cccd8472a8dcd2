/** What output must not make a terminal do. Uses the headless terminal, which has the same parser as the page. */
import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { CELL_MAX_CHARS } from '../../../../protocol/limits.ts';
import { restrictOutput } from '../../../../web/ui/terminal/hostile-output.ts';
import { pasteable } from '../../../../web/ui/terminal/pasteable.ts';

/** Writes to a terminal of 80 × 24; resolves to its first row and to what it answered. */
async function write(output: string, tame = true): Promise<{ row: string; answers: string[] }> {
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const answers: string[] = [];
  terminal.onData((data) => answers.push(data));
  if (tame) restrictOutput(terminal);
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  return { row: terminal.buffer.active.getLine(0)?.translateToString(true) ?? '', answers };
}

/** Queries that an unprotected headless xterm answers: the test passes only if they are dropped. */
const ANSWERED = {
  DA1: '\x1b[c',
  DA2: '\x1b[>c',
  'DSR 5': '\x1b[5n',
  CPR: '\x1b[6n',
  'private CPR': '\x1b[?6n',
  DECRQM: '\x1b[4$p',
  'private DECRQM': '\x1b[?25$p',
  DECRQSS: '\x1bP$qm\x1b\\',
};
/** Those that need a browser, an option or a newer xterm to be answered. */
const UNANSWERED = {
  DA3: '\x1b[=c',
  XTVERSION: '\x1b[>q',
  'kitty flags': '\x1b[?u',
  'text area size': '\x1b[18t',
  'palette colour': '\x1b]4;1;?\x07',
  foreground: '\x1b]10;?\x07',
  background: '\x1b]11;?\x1b\\',
  cursor: '\x1b]12;?\x07',
};

describe('a protected terminal', () => {
  it.each(Object.entries({ ...ANSWERED, ...UNANSWERED }))(
    '[SEC7] [SEC8] answers no %s, and prints nothing',
    async (_, query) => {
      expect(await write(`a${query}b`)).toEqual({ row: 'ab', answers: [] });
    },
  );

  it.each(Object.entries(ANSWERED))('would have answered %s without protection', async (_, query) => {
    expect((await write(query, false)).answers).toHaveLength(1);
  });

  it.each([...'bLMSTIZ@PX'])('[SEC8] does not hang on a frame full of CSI 2147483647 %s', async (final) => {
    // Without protection, a single one takes over ten seconds, and the test would time out.
    const { answers } = await write(`\x1b[2147483647${final}`.repeat(5_000));
    expect(answers).toEqual([]);
  });

  it('[SEC8] limits the combining marks of a character', async () => {
    const { row } = await write(`e${'\u0301'.repeat(5_000)}x`);
    expect(row).toBe(`e${'\u0301'.repeat(CELL_MAX_CHARS - 1)}x`);
  });

  it('applies a huge count up to the size of the screen', async () => {
    expect((await write('line\x1b[H\x1b[9999M')).row).toBe('');
    expect((await write('line\x1b[3D\x1b[9999P')).row).toBe('l');
  });

  it('repeats a character as often as a normal program requests', async () => {
    expect((await write('x\x1b[5b')).row).toBe('xxxxxx');
  });

  it('shows the text of a link', async () => {
    expect((await write('\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07')).row).toBe('click');
  });
});

describe('an exception in the parser', () => {
  it('[SEC8] loses the rest of its step, and nothing that is printed later', async () => {
    const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    restrictOutput(terminal);
    terminal.parser.registerCsiHandler({ final: 'y' }, () => {
      throw new Error('a bug in xterm');
    });
    const row = () => terminal.buffer.active.getLine(0)?.translateToString(true);
    terminal.write('before\x1b[1ylost');
    await new Promise<void>((resolve) => terminal.write(' after', resolve));
    expect(row()).toBe('before after');
    await new Promise<void>((resolve) => terminal.write('!', resolve));
    expect(row()).toBe('before after!');
  });
});

describe('pasted text', () => {
  it.each([
    ['keeps lines, tabs and every language', 'a\tb\r\nc\nπ漢🎉', 'a\tb\r\nc\nπ漢🎉'],
    ['cannot end its own bracket', 'safe\x1b[201~rm -rf /\n', 'safe[201~rm -rf /\n'],
    ['cannot do so with a C1 byte either', 'safe\u009b201~', 'safe201~'],
    ['presses no control keys', 'a\x03\x04\x7fb', 'ab'],
  ])('%s', (_, text, pasted) => {
    expect(pasteable(text)).toBe(pasted);
  });
});
