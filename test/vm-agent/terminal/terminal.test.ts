/** A program's terminal: what it keeps, and when it says so. */
import { describe, expect, it } from 'vitest';
import { Terminal } from '../../../vm-agent/terminal/terminal.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type FakePty, fakeSpawner } from '../../support/fake-pty.ts';

const SIZE = { cols: 80, rows: 24 };

function open(prelude?: string) {
  const { spawn, ptys } = fakeSpawner();
  const clock = new FakeClock();
  const spec = { command: 'sh', args: [], cwd: '/', env: {}, size: SIZE };
  const begin = prelude === undefined ? {} : { prelude: new TextEncoder().encode(prelude) };
  const terminal = new Terminal(spec, { spawn, clock, historyBytes: 10, ...begin });
  const heard: string[] = [];
  const held = () => new TextDecoder().decode(terminal.ring.read(0));
  terminal.listen({
    printed: (offset, bytes, isAll) =>
      heard.push(`${offset} ${new TextDecoder().decode(bytes)} ${isAll} of ${held()}`),
    resized: (offset, { cols }) => heard.push(`${offset} has ${cols} columns`),
    exited: ({ code }) => heard.push(`exit ${code}`),
  });
  return { terminal, pty: ptys[0] as FakePty, clock, heard, held };
}

describe('a terminal', () => {
  it('[P4] has what was printed in its ring before it says so, and its end last', () => {
    const { pty, heard } = open();
    pty.prints('hello');
    pty.prints('world!', false);
    pty.exits({ code: 3 });
    expect(heard).toEqual(['0 hello true of hello', '5 world! false of elloworld!', 'exit 3']);
  });

  it('goes on below what was printed before its program was started', () => {
    const { pty, heard, held } = open('old');
    expect(held()).toBe('old');
    pty.prints('new');
    expect(heard).toEqual(['3 new true of oldnew']);
  });

  it('[OU7] is resized at the place where its output is, and keeps no sizes of output that is gone', () => {
    const { terminal, pty, heard } = open();
    const sizes = [100, 110, 120].map((cols) => ({ cols, rows: 24 }));
    for (const [index, size] of sizes.entries()) {
      terminal.resize(size);
      expect(heard.at(-1)).toBe(`${10 * index} has ${size.cols} columns`);
      pty.prints('0123456789');
    }
    expect(pty.size).toEqual(sizes[2]);
    terminal.resize(SIZE);
    expect(terminal.sizes.since(-1).map(({ offset }) => offset)).toEqual([20, 30]);
    expect(terminal.sizes.current).toEqual(SIZE);
  });

  it('is idle since something was typed or printed last', () => {
    const { terminal, pty, clock } = open();
    clock.advance(500);
    expect(terminal.idleMs).toBe(500);
    pty.prints('x');
    expect(terminal.idleMs).toBe(0);
    clock.advance(20);
    terminal.touch();
    clock.advance(1);
    expect(terminal.idleMs).toBe(1);
  });
});
