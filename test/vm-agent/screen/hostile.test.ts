/** Hostile output: the terminal must finish, stay small, and continue. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { CELL_MAX_CHARS, COLOUR_FIELDS_MAX, LINKS_MAX_CHARS } from '../../../protocol/limits.ts';
import { PENDING_MAX_BYTES } from '../../../vm-agent/screen/limits.ts';
import { ansi, bytesOf, restored, stateOf, terminal } from './terminal-state.ts';

const NOTHING = new Uint8Array(0);

function megabytes(part: string, count: number): Uint8Array {
  const unit = bytesOf(part);
  const bytes = new Uint8Array(count * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += unit.length) bytes.set(unit.subarray(0, bytes.length - at), at);
  return bytes;
}

describe('huge counts', () => {
  const finals = [...'@ABCDEFGHIJKLMPSTXZ`abdefghlmnqrstu', ' @', ' A', "'}", "'~", '"q', ' q', '$p'];

  // Unbounded, a single one of L M S T I Z b takes more than ten seconds; all together have one here.
  it.each(finals)(
    '[SEC8] [R7] CSI 2147483647 %s finishes',
    (final) => {
      const victim = terminal({ cols: 120, rows: 40 });
      victim.write(bytesOf(`text\x1b[2147483647${final}\x1b[2147483647;2147483647${final}after`));
      expect(victim.faults).toBe(0);
    },
    1000,
  );

  it('[R7] have the same result as without the limit: lines inserted over everything', () => {
    const bounded = terminal({ cols: 20, rows: 6 });
    const exact = terminal({ cols: 20, rows: 6 });
    const rows = '1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b[3;1H';
    bounded.write(bytesOf(`${rows}\x1b[44m\x1b[99999L`));
    exact.write(bytesOf(`${rows}\x1b[44m\x1b[4L`));
    expect(stateOf(bounded)).toEqual(stateOf(exact));
  });

  it('[R7] repeat a character over at most the screen', () => {
    const victim = terminal({ cols: 10, rows: 4 });
    victim.write(bytesOf('x\x1b[2147483647b'));
    expect(victim.xterm.core.buffers.active.lines.length).toBeLessThanOrEqual(5);
  });
});

describe('a repeated character', () => {
  const MARKS = '\u0301'.repeat(CELL_MAX_CHARS - 1);
  /** How many cells have text after this output. */
  function filledBy(output: string): number {
    const victim = terminal({ cols: 80, rows: 24 });
    victim.write(bytesOf(output));
    const { active } = victim.xterm.terminal.buffer;
    let filled = 0;
    for (let row = 0; row < active.length; row++)
      for (let col = 0; col < 80; col++) if (active.getLine(row)?.getCell(col)?.getChars() !== '') filled++;
    return filled;
  }

  it.each([
    { what: 'is repeated over the whole screen', output: 'x\x1b[1919b', cells: 80 * 24 },
    { what: 'with an accent is repeated as often', output: 'e\u0301\x1b[1919b', cells: 80 * 24 },
    { what: 'with many marks is repeated a few times', output: `e${MARKS}\x1b[1919b`, cells: 1 + 7 },
    { what: 'in insert mode is repeated over a row', output: '\x1b[4hx\x1b[79b', cells: 80 },
    { what: 'in insert mode is repeated over little more', output: '\x1b[4hx\x1b[1919b', cells: 1 + 96 },
    { what: 'with both is repeated once', output: `\x1b[4he${MARKS}\x1b[1919b`, cells: 2 },
  ])('[SEC8] [R7] $what', ({ output, cells }) => {
    expect(filledBy(output)).toBe(cells);
  });

  it('[SEC8] [R7] is counted by its cell, also if the cursor could not move past it', () => {
    // Without wrapping, a wide character in the last column is not printed, and another cell is repeated.
    const victim = terminal({ cols: 80, rows: 24 });
    let marks = 0;
    const line = Object.getPrototypeOf(victim.xterm.core.buffers.normal.lines.get(0));
    const { addCodepointToCell: add } = line;
    line.addCodepointToCell = function (...mark: unknown[]) {
      marks++;
      add.apply(this, mark);
    };
    victim.write(bytesOf(`\x1b[?7l\x1b[78Ge${MARKS}\x1b[80G\u4e00\x1b[1919b`));
    line.addCodepointToCell = add;
    expect(marks).toBe(8 * MARKS.length);
  });
});

describe('unbounded input', () => {
  it.each([
    { what: 'a title', opens: '\x1b]2;' },
    { what: 'an unknown OSC', opens: '\x1b]777;' },
    { what: 'a DCS', opens: '\x1bP$q' },
    { what: 'a DCS of parameters', opens: '\x1bP', atMost: 4096 },
    { what: 'a DCS of intermediate bytes', opens: '\x1bP', part: '!', atMost: 4096 },
    { what: 'a DCS that is ignored', opens: '\x1bP0<', atMost: 4 },
    { what: 'a DCS of bytes that are skipped', opens: '\x1bP', part: '\x01', atMost: 4096 },
    { what: 'a title of bytes that are skipped', opens: '\x1b]2;', part: '\x01' },
    { what: 'an unknown DCS', opens: '\x1bPz' },
    { what: 'an APC', opens: '\x1b_G' },
    { what: 'a CSI', opens: '\x1b[' },
  ])(
    '[SEC8] [R7] $what of 2 MB that never ends is not kept, nor written into a snapshot',
    ({ opens, part, atMost = PENDING_MAX_BYTES }) => {
      const victim = terminal({ cols: 80, rows: 24 });
      victim.write(bytesOf(`before ${opens}`));
      const payload = megabytes(part ?? '1234567890;', 2);
      let most = 0;
      for (let at = 0; at < payload.length; at += 4096) {
        victim.write(payload.subarray(at, at + 4096));
        most = Math.max(most, victim.pendingBytes.length);
      }
      expect(most).toBeLessThanOrEqual(atMost);
      const copy = restored(victim, NOTHING);
      for (const each of [victim, copy]) each.write(bytesOf('\x1b\\after'));
      expect(stateOf(copy)).toEqual(stateOf(victim));
      expect(victim.title).toBe('');
    },
  );

  it('[R7] a line of a million characters is wrapped, bounded, and restored', () => {
    const victim = terminal({ cols: 80, rows: 24 }, 500);
    victim.write(megabytes('long ', 1));
    expect(victim.xterm.core.buffers.normal.lines.length).toBe(524);
    expect(stateOf(restored(victim, NOTHING, 500))).toEqual(stateOf(victim));
  });

  it('[SEC8] [R7] a title of invalid characters is not kept', () => {
    const victim = terminal({ cols: 80, rows: 24 });
    victim.write(bytesOf('before \x1b]2;'));
    for (let at = 0; at < 1024; at++) victim.write(new Uint8Array(4096).fill(0xff));
    expect(victim.pendingBytes.length).toBeLessThanOrEqual(PENDING_MAX_BYTES);
    const copy = restored(victim, NOTHING);
    for (const each of [victim, copy]) each.write(bytesOf('late\x1b\\after'));
    expect(stateOf(copy)).toEqual(stateOf(victim));
    expect(victim.title).toBe('');
  });

  it('[R7] a character with marks may replace one that had as many as allowed', () => {
    const victim = terminal({ cols: 80, rows: 24 });
    victim.write(bytesOf(`e${'\u0301'.repeat(100)}\ro\u0302x`));
    expect(victim.xterm.terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('o\u0302x');
  });

  it('[SEC8] [R7] combining marks on every character cost no more than their text', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const victim = terminal({ cols: 100, rows: 24 }, 500);
    collect();
    const before = process.memoryUsage().heapUsed;
    const line = bytesOf(`e${'\u0301'.repeat(CELL_MAX_CHARS - 1)}`.repeat(100));
    for (let row = 0; row < 500; row++) victim.write(line);
    collect();
    const perCell = (process.memoryUsage().heapUsed - before) / (100 * 500);
    // 32 units of text and what V8 has around it; as a chain of joined strings it would be over a thousand bytes.
    expect(perCell).toBeLessThan(300);
    expect(victim.size.cols).toBe(100);
  });

  it('[SEC8] colours in endless lists take no time, and short lists work', () => {
    const victim = terminal({ cols: 80, rows: 24 });
    victim.write(bytesOf(`\x1b]4;1;rgb:ff/00/00${';'.repeat(COLOUR_FIELDS_MAX)}\x07`));
    expect(new TextDecoder().decode(ansi(victim, 'screen'))).not.toContain(']4;1');
    victim.write(bytesOf('\x1b]4;1;rgb:f0/00/01\x07'));
    expect(new TextDecoder().decode(ansi(victim, 'screen'))).toContain(']4;1');
  });

  it('[R7] combining marks on one character are limited', () => {
    const victim = terminal({ cols: 80, rows: 24 });
    victim.write(bytesOf(`e${'\u0301'.repeat(100_000)}x`));
    expect(victim.xterm.core.buffers.normal.lines.get(0)?._combined[0]).toHaveLength(CELL_MAX_CHARS);
    expect(stateOf(restored(victim, NOTHING))).toEqual(stateOf(victim));
  });
});

describe('links', () => {
  it('[R7] one for every character cost no more than their targets, and scroll at full speed', () => {
    const victim = terminal({ cols: 100, rows: 30 }, 1000);
    for (let n = 0; n < 60_000; n++) victim.write(bytesOf(`\x1b]8;;http://example.org/${n}\x1b\\x`));
    const links = victim.xterm.core._oscLinkService;
    let chars = 0;
    for (let number = 0; number < 70_000; number++) chars += links.getLinkData(number)?.uri.length ?? 0;
    expect(chars).toBeGreaterThan(0);
    expect(chars).toBeLessThanOrEqual(LINKS_MAX_CHARS);
    expect(victim.xterm.terminal.markers).toHaveLength(0);
  });

  it('[R7] that are too long become text without a link', () => {
    const victim = terminal({ cols: 80, rows: 24 });
    victim.write(bytesOf(`\x1b]8;;http://${'x'.repeat(5000)}/\x1b\\text\x1b]8;;\x1b\\`));
    expect(victim.xterm.core._oscLinkService.getLinkData(1)).toBeUndefined();
  });

  it('[R1] are found again after others were forgotten', () => {
    const victim = terminal({ cols: 80, rows: 24 }, 100);
    for (let n = 0; n < 40_000; n++)
      victim.write(bytesOf(`\x1b]8;;http://example.org/${n}\x1b\\link ${n}\x1b]8;;\x1b\\\r\n`));
    expect(new TextDecoder().decode(ansi(victim, 'screen'))).toContain('http://example.org/39999\x1b\\');
  });
});

describe('sequences that make xterm throw', () => {
  it('[R7] CSI 1 J in the bottom right corner erases', () => {
    const victim = terminal({ cols: 10, rows: 3 });
    victim.write(bytesOf('1\r\n2\r\n3\x1b[3;10H\x1b[1Jok'));
    expect(victim.faults).toBe(0);
    const twin = terminal({ cols: 10, rows: 3 });
    twin.write(bytesOf('\x1b[3;10Hok'));
    expect(stateOf(victim)).toEqual(stateOf(twin));
  });

  it('[R7] lose the rest of one step at most, not the terminal', () => {
    const victim = terminal({ cols: 10, rows: 3 });
    victim.xterm.terminal.parser.registerCsiHandler({ final: 'y' }, () => {
      throw new Error('a fault');
    });
    victim.write(bytesOf('a\x1b[ylost'));
    victim.write(bytesOf('b'));
    expect(victim.faults).toBe(1);
    expect(stateOf(victim).normal).toMatchObject({ cursor: '2,0' });
  });
});
