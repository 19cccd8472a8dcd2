/** A reload after several early ends: the new agent gets everything again, once the one before it has worked. */
import { describe, expect, it } from 'vitest';
import type { Keeper } from '../../../vm-agent/keeper/keeper.ts';
import { EARLY_END_MS, EARLY_ENDS_PER_STEP } from '../../../vm-agent/keeper/restart-policy.ts';
import { type AgentProcessEvents, Supervisor } from '../../../vm-agent/keeper/supervisor.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** A supervisor whose agents end on request. */
function supervised() {
  const clock = new FakeClock();
  const started: AgentProcessEvents[] = [];
  const attached: string[] = [];
  const keeper = {
    programs: [{}],
    attach: (_socket: unknown, start: string) => attached.push(start),
    detach: () => {},
    tell: () => {},
  } as unknown as Keeper;
  const supervisor = new Supervisor({
    keeper,
    clock,
    log: () => {},
    exit: () => {},
    upgrade: { check: async () => null, run: () => 'no' },
    start: (events) => {
      started.push(events);
      return { socket: { isWritable: true, send: () => {}, sendLater: () => {} }, kill: () => {} };
    },
  });
  const boots = () => started.at(-1)?.booted();
  supervisor.begin();
  boots();
  supervisor.ready();
  for (let ends = 0; ends < EARLY_ENDS_PER_STEP; ends++) {
    started.at(-1)?.ended(null, 'SIGSEGV');
    clock.advance(30_000);
    boots();
  }
  supervisor.ready();
  const reload = () => {
    const old = started.at(-1);
    supervisor.reload();
    boots();
    old?.ended(0, 'exit code 0');
  };
  return { clock, attached, reload };
}

describe('an agent that was started with less', () => {
  it.each([
    ['everything, if it has worked for a while', EARLY_END_MS, 'all'],
    ['as little, if it has just started', EARLY_END_MS - 1, 'without blobs'],
  ])('[F30] is replaced by one that gets %s', (_what, ranMs, start) => {
    const { clock, attached, reload } = supervised();
    expect(attached.at(-1)).toBe('without blobs');
    clock.advance(ranMs);
    reload();
    expect(attached.at(-1)).toBe(start);
  });
});
