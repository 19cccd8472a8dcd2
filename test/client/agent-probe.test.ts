/** Whether the agent answers, and how long a round trip is shown. */
import { describe, expect, it } from 'vitest';
import { AgentProbe, HEARD_RECENTLY_MS, PROBE_AGENT_WITHIN_MS } from '../../client/agent-probe.ts';
import { ROUND_TRIP_FRESH_MS, RoundTrip } from '../../client/round-trip.ts';
import { FakeClock } from '../support/fake-clock.ts';

function probing() {
  const clock = new FakeClock();
  const seen = { asked: 0, changes: 0 };
  const probe = new AgentProbe({
    clock,
    ask: () => {
      seen.asked++;
    },
    changed: () => {
      seen.changes++;
    },
  });
  return { clock, probe, seen };
}

describe('the probe of an agent', () => {
  it('[U11] reports silence if no answer comes in time', () => {
    const { clock, probe, seen } = probing();
    probe.probe();
    expect([probe.verdict, seen.asked]).toEqual(['asked', 1]);
    clock.advance(PROBE_AGENT_WITHIN_MS - 1);
    expect(probe.verdict).toBe('asked');
    clock.advance(1);
    expect(probe.verdict).toBe('silent');
  });

  it('[U11] reports an answer when anything arrives from the agent, however late', () => {
    const { clock, probe } = probing();
    probe.probe();
    clock.advance(PROBE_AGENT_WITHIN_MS);
    probe.heard();
    expect(probe.verdict).toBe('answering');
    clock.advance(60_000);
    expect(probe.verdict).toBe('answering');
  });

  it('[U11] is sent once, however often it is requested', () => {
    const { clock, probe, seen } = probing();
    probe.probe();
    clock.advance(PROBE_AGENT_WITHIN_MS - 1);
    probe.probe();
    clock.advance(1);
    probe.probe();
    expect([probe.verdict, seen.asked]).toEqual(['silent', 1]);
  });

  it('[U11] is not sent if the agent was heard a moment ago', () => {
    const { clock, probe, seen } = probing();
    probe.heard();
    clock.advance(HEARD_RECENTLY_MS - 1);
    probe.probe();
    expect(seen.asked).toBe(0);
    clock.advance(1);
    probe.probe();
    expect(seen.asked).toBe(1);
  });

  it('[U11] ignores answers to a probe on an old link', () => {
    const { clock, probe } = probing();
    probe.probe();
    probe.reset();
    clock.advance(60_000);
    expect(probe.verdict).toBe('answering');
  });

  it('[U11] is not sent on its own initiative', () => {
    const { clock, seen } = probing();
    clock.advance(3_600_000);
    expect([seen.asked, clock.pending]).toEqual([0, 0]);
  });
});

describe('a round trip', () => {
  function measuring() {
    const clock = new FakeClock();
    const seen = { expired: 0 };
    const roundTrip = new RoundTrip(clock, () => {
      seen.expired++;
    });
    return { clock, roundTrip, seen };
  }

  it('[U11] is no longer reported once it is too old, and listeners are told', () => {
    const { clock, roundTrip, seen } = measuring();
    roundTrip.measured(60);
    clock.advance(ROUND_TRIP_FRESH_MS - 1);
    expect([roundTrip.ms, seen.expired]).toEqual([60, 0]);
    clock.advance(1);
    expect([roundTrip.ms, seen.expired]).toEqual([null, 1]);
  });

  it('[U11] counts from the last measurement', () => {
    const { clock, roundTrip } = measuring();
    roundTrip.measured(60);
    clock.advance(ROUND_TRIP_FRESH_MS - 1);
    roundTrip.measured(60);
    clock.advance(ROUND_TRIP_FRESH_MS - 1);
    expect(roundTrip.ms).toBe(60);
    clock.advance(1);
    expect([roundTrip.ms, clock.pending]).toEqual([null, 0]);
  });

  it('[U11] starts again after that, and is not mixed with old measurements', () => {
    const { clock, roundTrip } = measuring();
    roundTrip.measured(2_000);
    clock.advance(ROUND_TRIP_FRESH_MS);
    roundTrip.measured(40);
    expect(roundTrip.ms).toBe(40);
  });
});
