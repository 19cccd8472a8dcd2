/** The supervisor when events come twice, late or at a bad moment, and what it logs. */
import { describe, expect, it } from 'vitest';
import { EARLY_END_MS, EARLY_ENDS_PER_STEP } from '../../../vm-agent/keeper/restart-policy.ts';
import { begin } from './supervised.ts';

const PING_MS = 5_000;

describe('the end of an agent', () => {
  it('[K1] lets its programs go on until there is another', () => {
    const { clock, nth, ptys, serve } = begin();
    serve(0);
    nth(0).agent.spawn(1);
    expect(ptys[0]?.paused, 'it has no credit').toBe(true);
    nth(0).events.ended(null, 'SIGKILL');
    expect(ptys[0]?.paused).toBe(false);
    clock.advance(0);
    nth(1).events.booted();
    expect(ptys[0]?.paused).toBe(true);
  });

  it('[K1] counts once if it is told twice', () => {
    const { clock, nth, processes, serve } = begin();
    serve(0);
    nth(0).events.ended(null, 'SIGKILL');
    nth(0).events.ended(null, 'write EPIPE');
    clock.advance(0);
    nth(0).events.ended(null, 'SIGKILL');
    clock.advance(1_000);
    expect(processes.length).toBe(2);
  });

  it('may be followed by a message that it had sent before', () => {
    const { clock, nth, logged, processes, serve, supervisor } = begin();
    serve(0);
    nth(0).events.ended(null, 'SIGKILL');
    supervisor.ready();
    clock.advance(0);
    expect([processes.length, logged]).toEqual([2, ['agent_ready', 'agent_ended']]);
  });

  it('[F30] may come so often that it is time for a ping while none runs', () => {
    const { clock, nth, processes, serve } = begin();
    serve(0);
    nth(0).agent.spawn(1);
    for (let n = 0; n < 12; n++) {
      nth(n).events.ended(1, 'exit code 1');
      if (n < 11) clock.advance(30_000);
    }
    clock.advance(PING_MS);
    expect(processes.length).toBe(12);
    clock.advance(30_000);
    expect(processes.length).toBe(13);
  });
});

describe('an agent that leaves for another', () => {
  it.each(['before it was ready', 'right after its start'])('[F30] %s has not ended early', (when) => {
    const { clock, nth, serve, supervisor } = begin();
    serve(0);
    nth(0).agent.spawn(1);
    for (let n = 0; n < EARLY_ENDS_PER_STEP - 1; n++) {
      nth(n).events.ended(1, 'exit code 1');
      clock.advance(0);
      nth(n + 1).events.booted();
    }
    const last = EARLY_ENDS_PER_STEP - 1;
    if (when === 'right after its start') supervisor.ready();
    clock.advance(EARLY_END_MS - 1);
    supervisor.reload();
    nth(last + 1).events.booted();
    nth(last).events.ended(0, 'exit code 0');
    expect(nth(last + 1).agent.messages[0]).toMatchObject({ type: 'hello', trouble: null });
  });
});

describe('a reload', () => {
  it('does not begin once everything is to end', () => {
    const { processes, serve, supervisor } = begin();
    serve(0);
    supervisor.stop(0);
    supervisor.reload();
    expect(processes.length).toBe(1);
  });
});

describe('the log of the keeper', () => {
  it('[F30] says how agents end, how many programs go on, and when the next one is started', () => {
    const { clock, logLines, nth, serve, supervisor } = begin();
    serve(0);
    nth(0).agent.spawn(1);
    supervisor.reload();
    nth(1).events.ended(2, 'exit code 2');
    for (let n = 0; n < 5; n++) clock.advance(PING_MS);
    nth(0).events.ended(null, 'SIGKILL');
    clock.advance(0);
    serve(2);
    expect(logLines).toEqual([
      'info agent_ready {"programs":0}',
      'info reloading {}',
      'warn reload_failed {"how":"exit code 2"}',
      'warn agent_hangs {}',
      'warn agent_ended {"how":"SIGKILL","programs":1,"again_in_ms":0}',
      'info agent_ready {"programs":1}',
    ]);
  });
});
