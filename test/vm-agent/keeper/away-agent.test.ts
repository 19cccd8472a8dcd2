/** Programs whose agent is away: how much they may print, and for how long they wait. */
import { describe, expect, it } from 'vitest';
import {
  AGENT_AWAY_MS,
  REPLACED_MAX_BYTES,
  REPLACED_WITHIN_MS,
  RETAINED_ALL_MAX_BYTES,
  RETAINED_MAX_BYTES,
} from '../../../vm-agent/keeper/limits.ts';
import type { FakePty } from '../../support/fake-pty.ts';
import { openKeeper } from './scripted-agent.ts';

describe('programs without an agent', () => {
  /** As much as is kept of one program. */
  const MUCH = 'x'.repeat(RETAINED_MAX_BYTES);

  const open = (programs = 1, historyBytes = 1000) => {
    const story = openKeeper();
    const agent = story.attach();
    for (let handle = 1; handle <= programs; handle++) agent.spawn(handle, historyBytes);
    agent.tell({ type: 'ready' });
    return { ...story, agent, pty: story.ptys[0] as FakePty };
  };

  it('[K1] [M1] may print until as much is kept as may be, and then wait', () => {
    const { attach, clock, keeper, pty } = open();
    expect(pty.paused).toBe(true);
    keeper.detach();
    clock.advance(REPLACED_WITHIN_MS);
    expect(pty.paused).toBe(false);
    pty.prints('x'.repeat(RETAINED_MAX_BYTES - 1));
    expect(pty.paused).toBe(false);
    pty.prints('x');
    expect(pty.paused).toBe(true);
    // A program that ends prints its last words although it should wait.
    pty.prints('bye');
    expect(attach().session(1)).toMatchObject({ start: 3, end: RETAINED_MAX_BYTES + 3 });
  });

  it('[F27] wait sooner while the next agent may be there at once', () => {
    const { attach, clock, keeper, pty } = open();
    keeper.detach();
    pty.prints('x'.repeat(REPLACED_MAX_BYTES - 1));
    expect(pty.paused).toBe(false);
    pty.prints('x');
    expect(pty.paused).toBe(true);
    clock.advance(REPLACED_WITHIN_MS - 1);
    expect(pty.paused).toBe(true);
    clock.advance(1);
    expect(pty.paused).toBe(false);
    attach().tell({ type: 'ready' });
    keeper.detach();
    pty.prints('x'.repeat(REPLACED_MAX_BYTES));
    expect(pty.paused, 'the next time it is the same').toBe(true);
  });

  it('[F27] lose nothing of the history that clients of the last agent may ask for', () => {
    const { agent, attach, keeper, pty } = open();
    agent.credit(1, 5000);
    pty.prints('x'.repeat(5000));
    agent.tell({ type: 'retain', handle: 1, offset: 5000 });
    keeper.detach();
    pty.prints('x'.repeat(3000));
    expect(attach().session(1)).toMatchObject({ start: 4000, end: 8000 });
  });

  it('[M1] wait when all together have printed too much, not counting their histories', () => {
    const { clock, keeper, ptys } = open(5);
    keeper.detach();
    clock.advance(REPLACED_WITHIN_MS);
    for (const pty of ptys.slice(0, 4)) pty.prints('x'.repeat(RETAINED_ALL_MAX_BYTES / 4 + 1000));
    ptys[4]?.prints('x'.repeat(1000));
    expect(ptys.map(({ paused }) => paused)).toEqual([false, false, false, false, false]);
    ptys[4]?.prints('x');
    ptys[0]?.prints('x');
    expect([ptys[4]?.paused, ptys[0]?.paused]).toEqual([true, true]);
  });

  it('[K1] do not wait for an agent that is away for long: only their histories are kept', () => {
    const { attach, clock, keeper, pty } = open();
    keeper.detach();
    pty.prints(MUCH);
    clock.advance(AGENT_AWAY_MS - 1);
    expect(pty.paused).toBe(true);
    clock.advance(1);
    expect(pty.paused).toBe(false);
    pty.prints('x'.repeat(500));
    expect(pty.paused).toBe(false);
    const end = RETAINED_MAX_BYTES + 500;
    expect(attach().session(1)).toMatchObject({ start: end - 1000, end });
    expect(pty.paused).toBe(true);
  });

  it('[F30] do not wait for agents that come and end before they are ready', () => {
    const { attach, clock, keeper, pty } = open();
    for (let n = 0; n < 4; n++) {
      keeper.detach();
      clock.advance(AGENT_AWAY_MS / 4);
      attach();
    }
    keeper.detach();
    pty.prints(MUCH);
    expect(pty.paused).toBe(false);
    attach().tell({ type: 'ready' });
    keeper.detach();
    pty.prints(MUCH);
    expect(pty.paused).toBe(true);
  });

  it('[K1] wait for an agent that is slow to get ready as for any other', () => {
    const { attach, clock, keeper, pty } = open();
    keeper.detach();
    const agent = attach();
    clock.advance(AGENT_AWAY_MS);
    expect(pty.paused).toBe(true);
    agent.credit(1, 100);
    pty.prints('still here');
    expect(agent.hears().at(-1)).toBe('1 prints 0 still here.');
  });

  it('wait again for an agent that was back and ready', () => {
    const { attach, clock, keeper, pty } = open();
    keeper.detach();
    clock.advance(AGENT_AWAY_MS - 1);
    attach().tell({ type: 'ready' });
    expect(clock.pending).toBe(0);
    keeper.detach();
    clock.advance(AGENT_AWAY_MS - 1);
    pty.prints(MUCH);
    expect(pty.paused).toBe(true);
  });
});
