/** Lines of extreme length, as the search code sees them. */
import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { withSearchableLines } from '../../../../web/ui/terminal/xterm-find.ts';

const COLS = 80;

async function printed(output: string) {
  const terminal = new Terminal({ cols: COLS, rows: 24, scrollback: 5000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  return { terminal, seen: withSearchableLines(terminal as never) as unknown as Terminal };
}

/** The lengths of all lines in rows, in order. */
function lineRows({ buffer: { active } }: Terminal): number[] {
  const lengths: number[] = [];
  for (let row = 0; row < active.length; row++) {
    if (active.getLine(row)?.isWrapped === true) lengths.push((lengths.pop() ?? 0) + 1);
    else lengths.push(1);
  }
  return lengths;
}

describe('the search code', () => {
  it('[SEC8] sees a line of 400 KB as many lines of some thousand cells', async () => {
    const { terminal, seen } = await printed(`first\r\n${'x'.repeat(400_000)}`);
    expect(Math.max(...lineRows(terminal))).toBe(5000);
    expect(Math.max(...lineRows(seen)) * COLS).toBeLessThan(8000);
    expect(Math.min(...lineRows(seen).slice(2, -1)) * COLS).toBeGreaterThanOrEqual(4000);
  });

  it('sees lines that wrap a few dozen times as they are, wherever they begin', async () => {
    const paragraphs = Array.from({ length: 200 }, (_, at) => 'word '.repeat(at * 4)).join('\r\n');
    const { terminal, seen } = await printed(paragraphs);
    expect(lineRows(seen)).toEqual(lineRows(terminal));
  });

  it('sees everything else of the terminal, also after it has changed', async () => {
    const { terminal, seen } = await printed('text');
    expect(seen.buffer.active.getLine(0)?.translateToString(true)).toBe('text');
    terminal.resize(40, 10);
    await new Promise<void>((resolve) => terminal.write('\x1b[?1049h\x1b[Hother', resolve));
    expect([seen.cols, seen.rows, seen.buffer.active.baseY]).toEqual([40, 10, 0]);
    expect(seen.buffer.active.getLine(0)?.translateToString(true)).toBe('other');
  });
});
