/** Runs in a shell without our script, and what is asked of the system meanwhile. */
import { describe, expect, it } from 'vitest';
import { FIRST_PROMPT_MAX_MS } from '../../../protocol/limits.ts';
import { Assisted, AT_PROMPT } from './assisted.ts';

/** A shell whose prompt was recognized. */
async function begun(command = 'ls', act = 'a') {
  const world = new Assisted();
  const first = world.runs(command, act);
  await world.waits(400);
  return { world, first };
}

describe('[A1] [AS2] a shell without our script', () => {
  it('gets a command once it has waited in silence for a while, with marks of its own', async () => {
    const world = new Assisted();
    world.runs('ls', 'a');
    await world.waits(200);
    expect(world.pty.typed).toBe('');
    await world.waits(200);
    expect(world.pty.typed).toMatch(/^\{ printf .*; command eval 'ls'; printf .*; \}\n$/);
  });

  it('is not taken for silent by an agent that was slow', async () => {
    const world = new Assisted();
    world.runs('ls', 'a');
    await world.settle();
    world.clock.advance(10_000);
    await world.settle();
    expect(world.pty.typed).toBe('');
  });

  it('ends a command by its own mark, and by no other', async () => {
    const { world, first } = await begun();
    await world.prints(`${world.marks.begin}out`);
    await world.prints('\x1b]133;D;0;nonce=secret\x07\x1b]133;D;0\x07\x1b]133;A;nonce=secret\x07');
    expect(first.answer).toBeNull();
    await world.prints(world.marks.end(4));
    expect(first.answer).toBe('done 4');
  });

  it('has another nonce for each command: what one has printed cannot end the next', async () => {
    const { world } = await begun();
    const old = world.marks;
    await world.prints(old.begin + old.end(0));
    const second = world.runs('make', 'b');
    await world.waits(400);
    await world.prints(world.marks.begin);
    await world.prints(old.begin + old.end(0));
    expect(second.answer).toBeNull();
    expect(world.marks.begin).not.toBe(old.begin);
    await world.prints(world.marks.end(1));
    expect(second.answer).toBe('done 1');
  });

  it('is busy while a command has not said that it ended, although it seems to wait', async () => {
    const { world } = await begun();
    await world.prints(world.marks.begin);
    const second = world.runs('make', 'b');
    await world.waits(400);
    expect(second.answer).toBe('shell_busy');
  });

  it.each([
    ['Ctrl-C was typed', (world: Assisted) => world.types('\x03', 't')],
    ['a signal was sent', async (world: Assisted) => void world.assist.signal('SIGINT')],
  ])('gets the next command after %s, which leaves no mark', async (_, interrupt) => {
    const { world, first } = await begun();
    await world.prints(world.marks.begin);
    await world.waits(1000);
    expect(first.answer).toBe('needs_input null sh');
    await interrupt(world);
    const second = world.runs('make', 'b');
    await world.waits(500);
    await world.prints(world.marks.begin + world.marks.end(0));
    expect(second.answer).toBe('done 0');
    expect(world.runs('ls', 'a').answer).toBeNull();
  });
});

describe('[A1] [AS1] a program that waits for input', () => {
  it('is noticed after two looks, not by its silence', async () => {
    const { world, first } = await begun();
    await world.prints(world.marks.begin);
    world.look = { program: 'cat', isOwn: false, isShell: false, reads: true };
    await world.waits(3000);
    expect(first.answer).toBeNull();
    world.waiting = 'cat';
    await world.waits(2500);
    expect(first.answer).toBe('needs_input null cat');
  });

  it('is not reported if it goes on between both', async () => {
    const { world, first } = await begun();
    await world.prints(world.marks.begin);
    world.look = { program: 'cat', isOwn: false, isShell: false, reads: true };
    world.waiting = 'cat';
    for (let i = 0; i < 40; i++) {
      await world.waits(100);
      await world.prints('.');
    }
    expect(first.answer).toBeNull();
  });

  it('is the shell itself, if it reads while its command runs', async () => {
    const { world, first } = await begun();
    await world.prints(world.marks.begin);
    await world.waits(1000);
    expect(first.answer).toBe('needs_input null sh');
    expect(world.asked.waiting).toBe(0);
  });
});

describe('[A1] [X5] what is asked of the system', () => {
  it('is bounded while a shell shows no prompt', async () => {
    const world = new Assisted();
    world.look = { ...AT_PROMPT, reads: false };
    const run = world.runs('ls', 'a');
    await world.waits(FIRST_PROMPT_MAX_MS + 300);
    expect(run.answer).toBe('shell_busy');
    expect(world.asked.look).toBeLessThanOrEqual(65);
  });

  it('is bounded while a command runs for long, also if many wait for it', async () => {
    const { world } = await begun('ls', 'a');
    await world.prints(world.marks.begin);
    world.look = { program: 'make', isOwn: false, isShell: false, reads: false };
    for (let i = 0; i < 7; i++) world.runs('ls', 'a');
    await world.settle();
    Object.assign(world.asked, { look: 0, waiting: 0 });
    await world.waits(60_000);
    // Two seconds between two looks of a call; those of all calls share what costs most.
    expect(world.asked.waiting).toBeLessThanOrEqual(35 * 2);
    expect(world.asked.look).toBeLessThanOrEqual(35 * 8);
  });
});
