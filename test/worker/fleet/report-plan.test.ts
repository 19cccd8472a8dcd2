/** When a workspace reports: rules as pure functions of time. */
import { describe, expect, it } from 'vitest';
import {
  FLEET_REPORT_EVERY_MS,
  FLEET_REPORT_RETRIES_MS,
  FLEET_REPORT_TRIES_MAX,
} from '../../../protocol/limits.ts';
import type { Attention } from '../../../protocol/messages/attention.ts';
import {
  attentionOf,
  changesReport,
  type MachineReport,
  saysTheSame,
} from '../../../worker/fleet/machine-report.ts';
import { changed, isDue, NO_PLAN, sending, taken } from '../../../worker/fleet/report-plan.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

const NOW = 1_800_000_000_000;
const attention = (state: Attention['state'], changes: Partial<Attention> = {}) =>
  sessionInfo('s1', {
    attention: { state, text: '', at: '2026-11-18T09:00:00.000Z', offset: 1, ...changes },
  });

describe('a report to the fleet', () => {
  it('[J3] [FL2] is due at once after a quiet time, and some seconds after the one before it', () => {
    const first = changed(NO_PLAN, true, NOW);
    expect([first.dueAt, isDue(first, NOW)]).toEqual([NOW, true]);
    const answered = taken(sending(first, NOW), first.number);
    expect(answered.dueAt).toBeNull();
    const second = changed(answered, true, NOW + 100);
    expect([second.dueAt, isDue(second, NOW + 100)]).toEqual([NOW + FLEET_REPORT_EVERY_MS, false]);
  });

  it('[FL2] that a machine left waits, because most come back at once', () => {
    const left = changed(NO_PLAN, false, NOW);
    expect(left.dueAt).toBe(NOW + FLEET_REPORT_EVERY_MS);
    expect(changed(left, true, NOW + 1000).dueAt, 'it is back').toBe(NOW + 1000);
  });

  it('[FL2] [FL3] has a number that only grows, also if the storage was lost or the clock goes back', () => {
    const first = changed(NO_PLAN, true, NOW);
    expect(changed(first, true, NOW).number).toBe(first.number + 1);
    expect(changed(first, true, NOW - 60_000).number).toBe(first.number + 1);
    expect(changed(NO_PLAN, true, NOW + 5).number, 'as after a loss').toBeGreaterThan(first.number);
  });

  it('[FL2] is repeated with growing waits until it is taken, for a day', () => {
    let plan = changed(NO_PLAN, true, NOW);
    const waits: number[] = [];
    for (let now = plan.dueAt; now !== null; now = plan.dueAt) {
      plan = sending(plan, now);
      if (plan.dueAt !== null) waits.push(plan.dueAt - now);
    }
    expect(waits.slice(0, 5)).toEqual([...FLEET_REPORT_RETRIES_MS]);
    expect([waits.length + 1, plan.attempts]).toEqual([FLEET_REPORT_TRIES_MAX, FLEET_REPORT_TRIES_MAX]);
    const days = waits.reduce((sum, ms) => sum + ms, 0) / 86_400_000;
    expect(Math.round(days)).toBe(1);
    expect(changed(plan, true, NOW + 9e7).dueAt, 'the next change is reported again').toBe(NOW + 9e7);
  });

  it('[FL2] that is taken late does not settle what has changed meanwhile', () => {
    const first = changed(NO_PLAN, true, NOW);
    const second = changed(sending(first, NOW), true, NOW + 10);
    expect(taken(second, first.number)).toEqual(second);
    expect(taken(second, second.number).dueAt).toBeNull();
  });

  it('[FL2] is not delayed by a clock that went back', () => {
    const sent = taken(sending(changed(NO_PLAN, true, NOW), NOW), NOW);
    expect(changed(sent, true, NOW - 3_600_000).dueAt).toBe(NOW - 3_600_000);
  });
});

describe('what is reported', () => {
  it.each([
    { of: 'a new session', before: null, told: sessionInfo('s1'), changes: true },
    {
      of: 'an exit',
      before: sessionInfo('s1'),
      told: sessionInfo('s1', { status: 'exited' }),
      changes: true,
    },
    { of: 'new attention', before: sessionInfo('s1'), told: attention('asks'), changes: true },
    { of: 'another reason', before: attention('done'), told: attention('failed'), changes: true },
    { of: 'a person who looks', before: attention('done'), told: sessionInfo('s1'), changes: true },
    { of: 'another text', before: attention('asks'), told: attention('asks', { text: 'x' }), changes: false },
    { of: 'a title', before: sessionInfo('s1'), told: sessionInfo('s1', { title: 'x' }), changes: false },
    { of: 'output', before: sessionInfo('s1'), told: sessionInfo('s1', { bufferBytes: 9 }), changes: false },
  ])('[FL1] $of: $changes', ({ before, told, changes }) => {
    expect(changesReport(before, told)).toBe(changes);
  });

  it.each([
    { counts: {}, summary: null },
    { counts: { asks: 0, done: 0 }, summary: null },
    { counts: { done: 2 }, summary: { state: 'done', count: 2 } },
    { counts: { done: 2, failed: 1 }, summary: { state: 'failed', count: 3 } },
    { counts: { done: 2, failed: 1, asks: 1 }, summary: { state: 'asks', count: 4 } },
  ])('[FL1] of $counts the most urgent is told: $summary', ({ counts, summary }) => {
    expect(attentionOf(counts)).toEqual(summary);
  });

  it('[FL1] is the same if only the time of the last sign of life differs', () => {
    const report: MachineReport = {
      ...{ isOnline: true, since: 1, lastSeen: null, sessions: 2, version: '0.1.0' },
      attention: { state: 'asks', count: 1 },
    };
    expect(saysTheSame(report, { ...report, lastSeen: 5 })).toBe(true);
    expect(saysTheSame(null, report)).toBe(false);
    const others: Partial<MachineReport>[] = [
      { isOnline: false },
      { since: 2 },
      { sessions: 3 },
      { version: null },
      { attention: { state: 'asks', count: 2 } },
    ];
    for (const other of others) expect(saysTheSame(report, { ...report, ...other })).toBe(false);
  });
});
