/**
 * Commands that are run while the agent process dies: at every step, that is after every frame that it sends to its
 * keeper. What it has sent arrives, in order; what it would have sent next does not.
 */
import { describe, expect, it } from 'vitest';
import { pasted } from '../../../vm-agent/keyboard/paste-mode.ts';
import { KeptWorld } from './kept-world.ts';

/** Typed in one piece, and in several. */
const SHORT = 'make';
const LONG = `: ${'word '.repeat(500)}`.trim();

describe.each([
  ['of one piece', SHORT],
  ['of several pieces', LONG],
])('[A1] [K2] a command %s', (_, command) => {
  /** Frames of an agent that is not killed. */
  const frames = async () => {
    const world = new KeptWorld();
    await world.starts();
    const before = world.sent;
    await world.runs(command);
    world.shell.ends(3);
    await world.settle();
    return { before, after: world.sent };
  };

  it('is run once, and its end is told, whenever the agent dies', async () => {
    const { before, after } = await frames();
    expect(after - before).toBeGreaterThan(3);
    for (let dies = before; dies <= after; dies++) {
      const world = new KeptWorld();
      await world.starts(dies);
      await world.runs(command);
      // It may die while the command runs, and in the moment of its end.
      world.shell.ends(3);
      await world.settle();
      world.kill();
      await world.starts();
      await world.runs(command);
      world.shell.ends(3);
      await world.settle();
      const what = `after ${dies - before} frames, ${world.refusal}`;
      // The next process does not know what is in the line, and clears it.
      expect(world.shell.typed.replace(' \x15', '') === `${pasted(command)}\r`, what).toBe(true);
      expect(world.shell.ran, what).toHaveLength(1);
      expect(world.answer, what).toMatchObject({ state: 'done', exitCode: 3 });
    }
  });

  it('is run once over two deaths', async () => {
    const { before, after } = await frames();
    for (let dies = before; dies <= after; dies += 2) {
      for (let again = 0; again < 12; again += 3) {
        const world = new KeptWorld();
        await world.starts(dies);
        await world.runs(command);
        world.kill();
        await world.starts(world.sent + 2 + again);
        await world.runs(command);
        world.kill();
        await world.starts();
        await world.runs(command);
        world.shell.ends(3);
        await world.settle();
        expect([world.shell.ran.length, world.answer?.exitCode], `${dies} ${again}`).toEqual([1, 3]);
      }
    }
  });
});

describe('[A1] [K2] a command whose agent has died', () => {
  it('is typed to its end by the next one, although nobody asks for it again', async () => {
    const world = new KeptWorld();
    await world.starts();
    world.shell.reads = false;
    await world.runs(LONG);
    world.kill();
    world.shell.reads = true;
    world.shell.readsInput();
    await world.starts();
    world.shell.ends(3);
    await world.settle();
    expect(world.shell.ran).toEqual([LONG]);
  });

  it('that a person has interrupted before is not typed on', async () => {
    const world = new KeptWorld();
    await world.starts();
    world.shell.reads = false;
    await world.runs(LONG);
    world.assist.typing.take('Ann');
    world.kill();
    world.shell.reads = true;
    world.shell.readsInput();
    await world.starts();
    await world.runs(LONG);
    expect(world.shell.ran).toEqual([]);
    expect(world.shell.typed.length).toBeLessThan(1100);
    expect(world.answer).toMatchObject({ state: 'taken_over', by: 'Ann' });
  });

  it('has its end although its begin is no longer kept', async () => {
    const world = new KeptWorld();
    await world.starts();
    await world.runs(SHORT);
    const output = 'x'.repeat(1024);
    for (let i = 0; i < 12 * 1024; i++) world.shell.prints(output);
    await world.settle();
    world.kill();
    await world.starts();
    world.shell.ends(3);
    await world.runs(SHORT);
    await world.settle();
    expect(world.answer).toMatchObject({ state: 'done', exitCode: 3 });
    expect(world.answer?.omittedBytes).toBeGreaterThan(11 * 1024 * 1024);
  });

  it.each(['without blobs', 'without replay'] as const)(
    'is answered by an agent that is started with less: %s',
    async (start) => {
      const world = new KeptWorld();
      await world.starts();
      await world.runs(SHORT);
      world.kill();
      await world.starts(Number.POSITIVE_INFINITY, start);
      await world.runs(SHORT);
      world.shell.ends(3);
      await world.settle();
      expect([world.shell.ran, world.answer?.exitCode]).toEqual([[SHORT], 3]);
    },
  );

  it('goes on without it if what the agent has left cannot be read', async () => {
    const world = new KeptWorld();
    await world.starts();
    await world.runs(SHORT);
    world.leavesGarbage();
    world.kill();
    await world.starts();
    await world.runs(SHORT);
    expect(world.refusal).toBe('output_gone');
    world.shell.ends(3);
    await world.settle();
    expect(world.shell.ran).toEqual([SHORT]);
  });
});
