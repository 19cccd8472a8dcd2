/** Whether somebody has begun a line. */
import { describe, expect, it } from 'vitest';
import { OpenLine } from '../../../vm-agent/run/open-line.ts';

/** `$` in the keys is a new prompt. */
function lineAfter(keys: string, isMarked: boolean): OpenLine {
  const line = new OpenLine();
  for (const [i, part] of keys.split('$').entries()) {
    if (i > 0) line.prompted();
    line.typed(Buffer.from(part, 'latin1'), isMarked);
  }
  return line;
}

describe('[AS1] a line', () => {
  it.each([
    ['nothing', '', false, false],
    ['a letter', 'l', true, true],
    ['a line and Enter', 'ls\r', true, false],
    ['a line, Enter and a prompt', 'ls\r$', false, false],
    ['Enter alone', '\r', true, false],
    ['a line that was cleared with Ctrl-C', 'ls\x03', false, false],
    ['one that was cleared with Ctrl-U', 'ls\x15', false, false],
    ['Ctrl-U after the cursor was moved', 'ls\x01\x15', true, true],
    ['Ctrl-U after an arrow', 'ls\x1b[D\x15', true, true],
    ['Ctrl-D in an empty line', '\x04', false, false],
    ['Ctrl-D in a line, which leaves it there', 'ls\x04', true, true],
    ['a line that was removed, which nobody can know', 'l\x7f', true, true],
    ['a line of the history', '\x1b[A', true, true],
    ['a paste', '\x1b[200~ls\x1b[201~', true, true],
    ['half a command in two lines', 'for i in 1 2\r', true, false],
  ])('is open after %s', (_, keys, marked, unmarked) => {
    expect([lineAfter(keys, true).isOpen, lineAfter(keys, false).isOpen]).toEqual([marked, unmarked]);
  });

  it.each([
    ['a command', 'ls\r$', false],
    ['a key before the prompt came', 'sleep 5\rrm -r$', true],
    ['a key that a program has read, perhaps', 'less x\rq$', true],
    ['that prompt and the next', 'less x\rq$ls\r$', false],
  ])('may have something in it after %s', (_, keys, may) => {
    expect(lineAfter(keys, true).mayHaveDraft).toBe(may);
  });

  it('may have something in it that was typed before this process was started', () => {
    const line = new OpenLine(true);
    expect([line.isOpen, line.mayHaveDraft]).toEqual([false, true]);
    line.prompted();
    expect(line.mayHaveDraft).toBe(false);
  });

  it('is open if half of a text was left there', () => {
    const line = new OpenLine();
    line.left();
    expect(line.isOpen).toBe(true);
    line.prompted();
    expect(line.isOpen).toBe(false);
  });
});
