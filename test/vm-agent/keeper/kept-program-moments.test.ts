/** What an agent is told at once of a kept program, without asking for more. */
import { describe, expect, it } from 'vitest';
import { AGENT_AWAY_MS } from '../../../vm-agent/keeper/limits.ts';
import type { FakePty } from '../../support/fake-pty.ts';
import { openKeeper } from './scripted-agent.ts';

const HISTORY_BYTES = 1000;

function open() {
  const story = openKeeper();
  const agent = story.attach();
  agent.spawn(1, HISTORY_BYTES);
  agent.credit(1, 100_000);
  agent.hears();
  return { ...story, agent, pty: story.ptys[0] as FakePty };
}

const resize = (cols: number) => ({ type: 'resize', handle: 1, size: { cols, rows: 24 } }) as const;

describe('an agent that has everything', () => {
  it('[K3] is told of an exit at once', () => {
    const { agent, pty } = open();
    pty.prints('bye');
    agent.hears();
    pty.exits({ code: 3 });
    expect(agent.hears()).toEqual(['1 exits 3']);
  });

  it('[K1] is told of a size at once', () => {
    const { agent, pty } = open();
    pty.prints('ab');
    agent.hears();
    agent.tell(resize(100));
    expect(agent.hears()).toEqual(['1 has 100 columns at 2']);
  });
});

describe('an agent whose socket was full', () => {
  it('[K1] is told of every size, between the output before and after it', () => {
    const { agent, keeper, pty } = open();
    agent.isWritable = false;
    pty.prints('ab');
    agent.tell(resize(90));
    pty.prints('cd');
    agent.tell(resize(100));
    agent.isWritable = true;
    keeper.drained();
    expect(agent.hears()).toEqual([
      '1 prints 0 ab…',
      '1 has 90 columns at 2',
      '1 prints 2 cd.',
      '1 has 100 columns at 4',
    ]);
  });
});

describe('a program that prints nothing more', () => {
  it('[M1] keeps its history only, once the agent is away for long', () => {
    const { attach, clock, keeper, pty } = open();
    keeper.detach();
    pty.prints('x'.repeat(50_000));
    clock.advance(AGENT_AWAY_MS);
    expect(attach().session(1)).toMatchObject({ start: 50_000 - HISTORY_BYTES, end: 50_000 });
  });

  it('[K1] goes on as soon as its agent is gone', () => {
    const { agent, keeper, pty } = open();
    agent.tell({ type: 'read_at_most', handle: 1, bytes: 10 });
    pty.prints('x'.repeat(100_000));
    expect(pty.paused).toBe(true);
    keeper.detach();
    expect(pty.paused).toBe(false);
  });
});
