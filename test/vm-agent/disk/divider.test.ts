import xterm from '@xterm/headless';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROGRAM_RESET } from '../../../protocol/terminal/divider.ts';
import { restoredDivider, rowsOf } from '../../../vm-agent/disk/divider.ts';

const AT = new Date(2026, 10, 16, 3, 12);
const COLS = 60;

let terminal: xterm.Terminal;
beforeEach(() => {
  terminal = new xterm.Terminal({ cols: COLS, rows: 8, allowProposedApi: true });
});
afterEach(() => terminal.dispose());

const write = (data: string | Uint8Array) => new Promise<void>((resolve) => terminal.write(data, resolve));

/** As disk-storage.ts does it: the reset first, then the divider below what the screen shows after it. */
async function divide(lostBytes = 0, cols = COLS): Promise<void> {
  await write(PROGRAM_RESET);
  const usedRows = rowsOf(shownText(), { cols, rows: terminal.rows });
  await write(restoredDivider({ at: AT, lostBytes, cols, usedRows }));
}

/** The rows of the screen without the empty ones at its end. */
function shownText(): string {
  const { active } = terminal.buffer;
  const all = Array.from({ length: terminal.rows }, (_, y) =>
    (active.getLine(active.baseY + y)?.translateToString(true) ?? '').trimEnd(),
  );
  return all.join('\n').trimEnd();
}

function rows(): string[] {
  const { active } = terminal.buffer;
  const all = Array.from(
    { length: active.length },
    (_, y) => active.getLine(y)?.translateToString(true).trimEnd() ?? '',
  );
  return all.slice(0, active.baseY + active.cursorY + 1);
}

const RULE = '── restored 2026-11-16 03:12 · new shell below '.padEnd(COLS, '─');

describe('the divider between the old screen and the new shell', () => {
  it('[R9] is below the old output, as wide as the terminal', async () => {
    await write('$ make\r\nbuilding');
    await divide();
    await write('$ ');
    expect(rows()).toEqual(['$ make', 'building', RULE, '$']);
  });

  it('[R9] says how much is missing', async () => {
    terminal.resize(80, 8);
    await divide(12_345, 80);
    expect(rows().join('')).toContain(
      'restored 2026-11-16 03:12 · about 12 kB of output lost · new shell below',
    );
  });

  it.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [2_340_000, '2.3 MB'],
  ])('[R9] %d bytes are shown as %s', (lostBytes, told) => {
    const text = Buffer.from(restoredDivider({ at: AT, lostBytes, cols: 80, usedRows: 0 })).toString();
    expect(text).toContain(`about ${told} of output lost`);
  });

  it('[R9] keeps its full text in a narrow terminal', async () => {
    terminal.resize(20, 8);
    await divide(0, 20);
    expect(rows().join('')).toBe('── restored 2026-11-16 03:12 · new shell below');
  });

  it('[R9] [U9] has default colours, and so has what follows, whatever came before', async () => {
    await write('\x1b[1;4;7;31;42mloud');
    await divide();
    await write('$');
    const { active } = terminal.buffer;
    const rule = active.getLine(1)?.getCell(0);
    const prompt = active.getLine(2)?.getCell(0);
    expect(rule?.isAttributeDefault()).toBe(true);
    expect(prompt?.isAttributeDefault()).toBe(true);
  });

  it('[R9] resets every mode', async () => {
    const before = { ...terminal.modes };
    await write('\x1b[?1;7;45;66;1003;1004;1006;2004;2026h\x1b[?7l\x1b[4h\x1b=\x1b[?25l\x1b[?6h');
    expect(terminal.modes).not.toEqual(before);
    await divide();
    expect(terminal.modes).toEqual(before);
  });

  it('[R9] leaves the alternate screen, and keeps the main one', async () => {
    await write('$ vim\r\n\x1b[?1049h\x1b[2J\x1b[5;5Htext');
    await divide();
    expect(terminal.buffer.active.type).toBe('normal');
    expect(rows()).toEqual(['$ vim', RULE, '']);
  });

  it('[R9] is not moved by a cursor that was saved earlier', async () => {
    await write('\x1b[H\x1b7one\r\ntwo\r\nthree');
    await divide();
    expect(rows()).toEqual(['one', 'two', 'three', RULE, '']);
  });

  it('[R9] scrolls as a whole after a program that set a scroll region', async () => {
    await write('top\x1b[2;4r\x1b[?6h\x1b[2;1Hinside');
    await divide();
    for (let line = 0; line < 12; line++) await write(`${line}\r\n`);
    expect(rows()).toContain('top');
    expect(rows().slice(-3)).toEqual(['10', '11', '']);
  });

  it('[D3] keeps the rows below the cursor, and is below them', async () => {
    await write('one\r\ntwo\r\nthree\x1b[1;1H');
    await divide();
    await write('$ ');
    expect(rows()).toEqual(['one', 'two', 'three', RULE, '$']);
  });

  it('[D3] scrolls a full screen up by one line and overwrites nothing', async () => {
    const full = Array.from({ length: 8 }, (_, row) => `row ${row}`);
    await write(`${full.join('\r\n')}\x1b[3;1H`);
    await divide();
    expect(rows()).toEqual([...full, RULE, '']);
  });

  it.each([
    ['', 0],
    ['one\n', 1],
    ['one\n\nthree\n', 3],
    ['x'.repeat(21), 3],
    ['漢字漢字漢', 1],
    ['漢字漢字漢字', 2],
    [`${'line\n'.repeat(40)}`, 24],
  ])('[D3] %j takes %d rows of 10 columns', (text, count) => {
    expect(rowsOf(text, { cols: 10, rows: 24 })).toBe(count);
  });

  it.each([
    ['half an escape sequence', 'text\x1b[1;3'],
    ['half a title', 'text\x1b]0;never ended'],
    ['half a device string', 'text\x1bPq#0;2;0'],
    ['the line drawing character set', 'text\x1b(0'],
    ['the shifted character set', 'text\x1b)0\x0e'],
  ])('[R9] is complete after %s', async (_, old) => {
    await write(old);
    await divide();
    await write('abc');
    expect(rows()).toEqual(['text', RULE, 'abc']);
  });

  it('[R9] does not complete a sequence that the old program started', async () => {
    const titles: string[] = [];
    terminal.onTitleChange((title) => titles.push(title));
    await write('\x1b]0;never ended');
    await divide();
    expect(titles).toEqual([]);
  });

  it('[R9] is complete after half a character', async () => {
    await write(Buffer.from('text\xe2\x94', 'latin1'));
    await divide();
    expect(rows().slice(-2)).toEqual([RULE, '']);
  });

  it('[R9] ends a link', async () => {
    await write('\x1b]8;;https://example.org\x1b\\link');
    await divide();
    await write('$');
    expect(terminal.buffer.active.getLine(2)?.getCell(0)?.isAttributeDefault()).toBe(true);
  });
});
