/** Typing a text for an assistant, into a real ledger and a fake program. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { INPUT_BACKLOG_MAX_BYTES } from '../../../protocol/limits.ts';
import { PASTE_END, pasted } from '../../../vm-agent/keyboard/paste-mode.ts';
import { TYPED_AT_ONCE_BYTES, Typist } from '../../../vm-agent/keyboard/typist.ts';
import { SessionInput } from '../../../vm-agent/terminal/session-input.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakePty } from '../../support/fake-pty.ts';

const LONG = Array.from({ length: 700 }, (_, i) => `word${i} `).join('');

function program(reads = true) {
  const clock = new FakeClock();
  const spec = { command: 'sh', args: [], cwd: '/', env: {}, size: { cols: 80, rows: 24 } };
  const pty = new FakePty(spec, { output() {}, exited() {} });
  pty.reads = reads;
  const input = new SessionInput(pty, clock);
  let changes = 0;
  const typist = (text: string, of: SessionInput = input) => new Typist(of, 'act:1', text, () => changes++);
  return { clock, input, pty, typist, changes: () => changes };
}

describe('[A3] a text', () => {
  it('is typed whole, and that is told once', () => {
    const { pty, typist, changes } = program();
    const one = typist(LONG);
    one.start();
    one.start();
    expect([pty.typed === LONG, one.isDone, changes()]).toEqual([true, true, 1]);
  });

  it('is typed a kilobyte at a time, each when the program has taken the one before', () => {
    const { pty, typist, changes } = program(false);
    const one = typist(LONG);
    one.start();
    expect(pty.backlogBytes).toBe(TYPED_AT_ONCE_BYTES);
    pty.readsInput();
    expect([pty.typed.length, pty.backlogBytes, one.isDone]).toEqual([1024, 1024, false]);
    while (!one.isDone) pty.readsInput();
    expect([pty.typed === LONG, changes()]).toEqual([true, 1]);
  });

  it.each([
    ['before its first piece was taken', 0],
    ['after that', 1],
    ['later', 3],
  ])('is typed once over two processes: %s', (_, pieces) => {
    const { clock, input, pty, typist } = program(false);
    const first = typist(LONG);
    first.start();
    for (let i = 0; i < pieces; i++) pty.readsInput();
    first.pause(); // its process has ended
    // The keeper has the ledger, and types what it was given.
    const accepted = input.accepted('act:1');
    const next = new SessionInput(pty, clock, [{ instance: 'act:1', accepted, taken: accepted }]);
    pty.reads = true;
    pty.readsInput();
    const again = typist(LONG, next);
    again.start();
    expect([pty.typed === LONG, again.isDone]).toEqual([true, true]);
  });

  it('that is stopped in the middle of a paste ends the paste, and nothing follows', () => {
    const { pty, typist } = program(false);
    const one = typist(pasted(LONG));
    one.start();
    one.stop();
    while (pty.backlogBytes > 0) pty.readsInput();
    expect(pty.typed).toBe(pasted(LONG).slice(0, TYPED_AT_ONCE_BYTES) + PASTE_END);
    one.start();
    one.stop();
    expect(pty.backlogBytes).toBe(0);
  });

  it('that is stopped outside of a paste has no end of one', () => {
    const { pty, typist } = program(false);
    const one = typist(LONG);
    one.start();
    one.stop();
    while (pty.backlogBytes > 0) pty.readsInput();
    expect(pty.typed).toBe(LONG.slice(0, TYPED_AT_ONCE_BYTES));
  });

  it('is not stopped once everything was offered', () => {
    const { pty, typist } = program(false);
    const one = typist(pasted('ls'));
    one.start();
    expect(one.hasOfferedAll).toBe(true);
    one.stop();
    pty.readsInput();
    expect(pty.typed).toBe(pasted('ls'));
  });

  it.each([1, 6, 7, 8, 9])('never has the end of its paste cut (%i bytes more than a piece)', (more) => {
    const { pty, typist } = program(false);
    const whole = `${pasted('x'.repeat(TYPED_AT_ONCE_BYTES - 12 + more))}\r`;
    const one = typist(whole);
    one.start();
    const first = pty.backlogBytes;
    expect(first === whole.length || whole.indexOf(PASTE_END) >= first).toBe(true);
  });

  it('goes on after a pause where it was', () => {
    const { pty, typist, changes } = program(false);
    const one = typist(LONG);
    one.start();
    one.pause();
    pty.readsInput();
    expect([pty.typed.length, one.isTyping, changes()]).toEqual([1024, false, 0]);
    pty.reads = true;
    one.start();
    expect([pty.typed === LONG, one.isDone]).toEqual([true, true]);
  });

  it('that was paused when all of it was offered is done when that is taken', () => {
    const { pty, typist, changes } = program(false);
    const one = typist('ls\n');
    one.start();
    one.pause();
    pty.readsInput();
    expect([one.isDone, changes()]).toEqual([true, 1]);
  });

  it('is refused, and can be typed later, if too much waits for the program', () => {
    const { input, pty, typist } = program(false);
    const full = new Uint8Array(INPUT_BACKLOG_MAX_BYTES);
    input.write('page', input.accept('page', 0, full), () => {});
    const one = typist('ls\n');
    expect(() => one.start()).toThrow('not reading');
    expect([one.isTyping, input.accepted('act:1')]).toEqual([false, 0]);
    pty.reads = true;
    pty.readsInput();
    one.start();
    expect(pty.typed.endsWith('\0ls\n')).toBe(true);
  });

  it('is paused, and that is told, if the program takes no more of it in the middle', () => {
    const { input, pty, changes } = program(false);
    let isFull = false;
    let told = 0;
    const accept: SessionInput['accept'] = (...piece) => {
      if (isFull) throw new Refusal('input_backlog', 'full');
      return input.accept(...piece);
    };
    const one = new Typist({ accept, write: input.write.bind(input) }, 'act:1', LONG, () => told++);
    one.start();
    isFull = true;
    pty.readsInput();
    expect([one.isTyping, one.isDone, told, changes()]).toEqual([false, false, 1, 0]);
    isFull = false;
    pty.reads = true;
    one.start();
    expect([pty.typed === LONG, told]).toEqual([true, 2]);
  });
});
