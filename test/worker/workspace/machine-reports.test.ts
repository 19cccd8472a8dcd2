/** A workspace and its fleet, through changes, failures and evictions: the fleet learns the last state. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  FLEET_REPORT_EVERY_MS,
  FLEET_REPORT_RETRIES_MS,
  FLEET_REPORT_TRIES_MAX,
} from '../../../protocol/limits.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import type { MachineReport } from '../../../worker/fleet/machine-report.ts';
import { Turn } from '../../../worker/metering/turn.ts';
import { Registry } from '../../../worker/registry/registry.ts';
import { MachineReports } from '../../../worker/workspace/machine-reports.ts';
import { ObjectAlarm } from '../../../worker/workspace/object-alarm.ts';
import { checkProperty } from '../../support/property.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';

const NOW = 1_800_000_000_000;
const ASKS = { state: 'asks', text: '', at: '2026-11-18T09:00:00.000Z', offset: 1 } as const;

interface Sent {
  readonly at: number;
  readonly number: number;
  readonly report: MachineReport;
  readonly answer: (isTaken: boolean) => Promise<void>;
}

/** A workspace whose fleet answers when it is told; what is on its way is in `sent`. */
class Story {
  now = NOW;
  alarmAt: number | null = null;
  isOnline = false;
  readonly sent: Sent[] = [];
  /** All that were ever sent. */
  readonly all: Sent[] = [];
  readonly storage = sqliteStorage();
  readonly registry = new Registry(this.storage.sql as ConstructorParameters<typeof Registry>[0], NOW);
  readonly #alarm = new ObjectAlarm(this.registry, {
    setAlarm: (at) => {
      this.alarmAt = at;
    },
  });
  reports = this.#wake();

  #wake(): MachineReports {
    const story = this;
    return new MachineReports({
      registry: this.registry,
      alarm: this.#alarm,
      turn: new Turn(NOW),
      sockets: {
        get hasAgentSaidHello() {
          return story.isOnline;
        },
        agentPresence: () => this.registry.agent(),
        agentBuild: '0.1.0',
      },
      send: (_workspace, number, report) => this.#send(number, report),
      now: () => this.now,
    });
  }

  #send(number: number, report: MachineReport): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sent: Sent = {
      ...{ at: this.now, number, report },
      answer: async (isTaken) => {
        if (isTaken) resolve();
        else reject(new Error('forced by a test'));
        await new Promise((done) => setImmediate(done));
      },
    };
    this.sent.push(sent);
    this.all.push(sent);
    return promise;
  }

  /** The object is evicted: what was on its way is answered to nobody. */
  evict(): void {
    this.sent.length = 0;
    this.reports = this.#wake();
  }

  connects(): void {
    this.reports.named('build-1');
    this.registry.agentOnline('e', this.now);
    this.isOnline = true;
    this.reports.heard({ type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
    this.reports.settle(this.now);
  }

  leaves(): void {
    this.registry.agentOffline(this.now, this.now);
    this.isOnline = false;
    this.reports.settle(this.now);
  }

  tells(id: string, changes: Partial<SessionInfo>): void {
    const before = this.registry.sessions.get(id, this.now);
    const told = sessionInfo(id, changes);
    this.registry.sessions.put(told, 1);
    this.reports.noticed(before, told);
    this.reports.settle(this.now);
  }

  passes(ms: number): void {
    const until = this.now + ms;
    while (this.alarmAt !== null && this.alarmAt <= until) {
      this.now = Math.max(this.now, this.alarmAt);
      this.alarmAt = null;
      this.#alarm.rang();
      this.reports.settle(this.now);
      this.reports.send(this.now);
    }
    this.now = until;
  }

  async answer(isTaken: boolean): Promise<void> {
    await this.sent.shift()?.answer(isTaken);
  }

  /** What the fleet would be told now. */
  get truth() {
    const { running, attention } = this.registry.machineReport.sessions();
    return { isOnline: this.isOnline, sessions: running, asking: attention.asks ?? 0 };
  }
}

const seen = (report: MachineReport | undefined) => ({
  isOnline: report?.isOnline,
  sessions: report?.sessions,
  asking: report?.attention?.count ?? 0,
});

describe("a workspace's reports", () => {
  // What could not be reported is logged.
  beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));

  it('[J3] [FL1] tell that the machine is online, its sessions, what wants attention, and its version', async () => {
    const story = new Story();
    story.connects();
    expect(story.sent[0]?.report).toEqual({
      ...{ isOnline: true, since: NOW, lastSeen: null, sessions: 0, attention: null, version: '0.1.0' },
    });
    await story.answer(true);
    story.tells('s1', {});
    story.tells('s2', { attention: ASKS });
    story.tells('s3', { status: 'exited', attention: { ...ASKS, state: 'failed' } });
    expect(story.sent, 'not so soon after the other').toEqual([]);
    story.passes(FLEET_REPORT_EVERY_MS);
    expect(story.sent[0]?.report).toMatchObject({ sessions: 2, attention: { state: 'asks', count: 2 } });
    await story.answer(true);
    story.leaves();
    story.passes(FLEET_REPORT_EVERY_MS);
    const left = { isOnline: false, sessions: 2, lastSeen: story.now - FLEET_REPORT_EVERY_MS };
    expect(story.sent[0]?.report).toMatchObject({ ...left, version: '0.1.0' });
  });

  it('[FL2] a burst of changes is one report and one write, and says how it ended', async () => {
    const story = new Story();
    story.connects();
    await story.answer(true);
    story.tells('s1', {});
    const before = story.storage.writes();
    for (let i = 0; i < 200; i++) story.tells('s1', i % 2 === 0 ? { attention: ASKS } : {});
    story.tells('s1', { attention: ASKS });
    expect(story.storage.writes() - before, 'only the session itself is written').toBe(201);
    story.passes(FLEET_REPORT_EVERY_MS);
    expect(story.all).toHaveLength(2);
    expect(story.sent[0]?.report.attention).toEqual({ state: 'asks', count: 1 });
  });

  it('[FL2] a machine that comes back at once was never away', async () => {
    const story = new Story();
    story.connects();
    await story.answer(true);
    story.passes(60_000);
    story.leaves();
    story.passes(1000);
    story.connects();
    expect(story.all.map(({ report }) => report.isOnline)).toEqual([true, true]);
  });

  it('[FL2] what changed and changed back is not told', async () => {
    const story = new Story();
    story.connects();
    await story.answer(true);
    story.tells('s1', { attention: ASKS });
    story.registry.sessions.gone('s1', null, story.now);
    story.reports.heard({ type: 'session_gone', session: 's1', reason: 'closed' });
    story.reports.settle(story.now);
    story.passes(FLEET_REPORT_EVERY_MS);
    expect(story.all).toHaveLength(1);
    expect(story.registry.machineReport.get().plan.dueAt).toBeNull();
  });

  it('[FL1] output, titles and frames report nothing and write nothing', async () => {
    const story = new Story();
    story.connects();
    await story.answer(true);
    story.tells('s1', {});
    story.passes(FLEET_REPORT_EVERY_MS);
    await story.answer(true);
    const before = story.registry.machineReport.get();
    for (let i = 0; i < 50; i++) story.tells('s1', { title: `${i}`, bufferBytes: i });
    for (let i = 0; i < 50; i++) story.reports.settle(story.now);
    expect(story.registry.machineReport.get()).toBe(before);
    expect(story.all).toHaveLength(2);
  });

  it('[FL2] that a deploy closed the sockets is noticed with the first event after it', () => {
    const story = new Story();
    story.connects();
    story.isOnline = false;
    story.registry.agentOffline(story.now, null);
    story.evict();
    story.reports.settle(story.now);
    story.passes(FLEET_REPORT_EVERY_MS);
    expect(story.sent.at(-1)?.report.isOnline).toBe(false);
  });

  it('[FL2] [FL4] a fleet that never answers is asked for a day, and the workspace goes on', async () => {
    const story = new Story();
    story.connects();
    story.passes(7 * 86_400_000);
    expect(story.all).toHaveLength(FLEET_REPORT_TRIES_MAX);
    expect(story.alarmAt, 'nothing wakes the workspace any more').toBeNull();
    story.tells('s1', { attention: ASKS });
    expect(story.all).toHaveLength(FLEET_REPORT_TRIES_MAX + 1);
    await story.answer(true);
  });

  it('[FL4] a storage that fails is no reason for an exception', () => {
    const story = new Story();
    story.connects();
    story.storage.sql.exec('DROP TABLE machine_report');
    story.reports.named('build-2');
    story.tells('s1', { attention: ASKS });
    story.reports.send(story.now);
  });

  it('[FL2] [FL3] after any changes, failures and evictions, the fleet is told the last state, at a bounded pace', async () => {
    const step = fc.oneof(
      fc.constantFrom('connects', 'leaves', 'evict', 'taken', 'fails', 'waits' as const),
      fc.record({ session: fc.integer({ min: 1, max: 3 }), wants: fc.boolean(), runs: fc.boolean() }),
    );
    const lost = FLEET_REPORT_RETRIES_MS.reduce((sum, ms) => sum + ms, 0);
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const story = new Story();
      story.connects();
      for (const one of steps) {
        if (typeof one === 'object') {
          const { session, wants, runs } = one;
          story.tells(`s${session}`, {
            status: runs ? 'running' : 'exited',
            ...(wants ? { attention: ASKS } : {}),
          });
        } else if (one === 'taken' || one === 'fails') await story.answer(one === 'taken');
        else if (one === 'waits') story.passes(1700);
        else story[one]();
      }
      story.reports.settle(story.now);
      // From now on the fleet works.
      for (let round = 0; round < 3; round++) {
        while (story.sent.length > 0) await story.answer(true);
        story.passes(lost);
      }
      expect([story.registry.machineReport.get().plan.dueAt, story.sent]).toEqual([null, []]);
      const last = story.all.at(-1);
      expect(seen(last?.report)).toEqual(story.truth);
      const numbers = story.all.map(({ number }) => number);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      const gaps = story.all.slice(1).map(({ at }, i) => at - (story.all[i]?.at ?? 0));
      expect(gaps.every((ms) => ms >= FLEET_REPORT_EVERY_MS)).toBe(true);
    });
    await checkProperty('machine-reports', property, { numRuns: 150 });
  });
});
