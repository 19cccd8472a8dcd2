/** How many pushes wait and are on their way, with a push service that answers when it is told. */
import { describe, expect, it } from 'vitest';
import {
  PUSH_QUEUE_MAX,
  PUSH_RETRIES_MS,
  PUSH_SUBSCRIPTIONS_MAX,
  PUSH_VIEWERS_MAX,
  PUSH_WITHIN_MS,
  PUSHES_BURST_MAX,
  PUSHES_IN_FLIGHT_MAX,
  PUSHES_OF_VIEWERS,
  PUSHES_PER_S_MAX,
  PUSHES_TO_HOST_MAX,
} from '../../../protocol/limits.ts';
import { Turn } from '../../../worker/metering/turn.ts';
import { readPushHosts } from '../../../worker/push/push-hosts.ts';
import type { PushAnswer } from '../../../worker/push/push-rules.ts';
import type { Push } from '../../../worker/push/push-service.ts';
import { Registry } from '../../../worker/registry/registry.ts';
import { ObjectAlarm } from '../../../worker/workspace/object-alarm.ts';
import { Pushes } from '../../../worker/workspace/pushes.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';
import { attention } from '../push/push-story.ts';

const NOW = 1_800_000_000_000;
const CREDENTIAL = { tokenId: 't', issuedAt: NOW - 1000, expiresAt: NOW + 9e9 };

/** A workspace whose browsers are at `hosts`, one each: those of viewers subscribed first. */
function open(operators: readonly string[], viewers: readonly string[] = []) {
  const hosts = [...viewers, ...operators];
  let statements = 0;
  const { sql: stored } = sqliteStorage();
  const sql = {
    exec: (...query: Parameters<typeof stored.exec>) => {
      statements++;
      return stored.exec(...query);
    },
  };
  const turn = new Turn(NOW);
  const registry = new Registry(sql as unknown as ConstructorParameters<typeof Registry>[0], NOW);
  let now = NOW;
  let alarmAt: number | null = null;
  const waiting: { push: Push; answer: (answer: PushAnswer | null) => void }[] = [];
  const alarm = new ObjectAlarm(registry, {
    setAlarm: (at) => {
      alarmAt = at;
    },
  });
  const start = () =>
    new Pushes({
      registry,
      alarm,
      turn,
      hosts: readPushHosts(hosts.join(' ')),
      contact: null,
      post: (push, _, signal) =>
        new Promise((answer) => {
          waiting.push({ push, answer });
          signal.addEventListener('abort', () => answer(null));
        }),
      now: () => now,
    });
  let pushes = start();
  registry.subscriptions.keepKey({ publicKey: 'public', privateKey: '{}' });
  for (const [i, host] of hosts.entries()) {
    const role = i < viewers.length ? 'viewer' : 'operator';
    registry.subscriptions.add({
      id: `b${i}`,
      person: `${role} ${i}`,
      role,
      endpoint: `https://${host}/${i}`,
      p256dh: '',
      auth: '',
      muted: [],
      page: 'https://relay.example/w/local',
      credential: CREDENTIAL,
    });
  }
  return {
    registry,
    /** Those on their way. */
    hosts: () => waiting.map(({ push }) => push.endpoint.host),
    get alarmAt() {
      return alarmAt;
    },
    wants(id: string, at?: string) {
      this.tells(id, at);
      pushes.settle(now);
    },
    /** Part of a message of the agent, which `wants` ends. */
    tells(id: string, at?: string) {
      const before = registry.sessions.get(id, now);
      const told = sessionInfo(id, { attention: attention(at === undefined ? {} : { at }) });
      registry.sessions.put(told, 1);
      pushes.noticed(before, told);
    },
    /** How many statements `act` takes, and how much of the workspace's turn. */
    costOf(act: () => void) {
      const before = { statements, units: turn.spent };
      act();
      return { statements: statements - before.statements, units: turn.spent - before.units };
    },
    /** All that are on their way get this answer, and those that follow, until none does. */
    async answerAll(status: number | null) {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        one.answer(status === null ? null : { status, retryAfterMs: null });
        await Promise.resolve().then(() => {});
      }
    },
    advance(ms: number) {
      now += ms;
      if (alarmAt === null || alarmAt > now) return;
      alarmAt = null;
      alarm.rang();
      pushes.send(now);
    },
    /** As after an eviction: what was on its way is forgotten. */
    wakeUp() {
      waiting.length = 0;
      pushes = start();
    },
  };
}

const many = (count: number, wants: (id: string) => void) => {
  for (let i = 0; i < count; i++) wants(`s${i}`);
};

describe('pushes', () => {
  it('[A5] [PU5] are on their way a few at a time, and fewer to one host', async () => {
    const others = ['b.example', 'c.example', 'd.example'];
    const workspace = open(['a.example', ...others]);
    many(5, (id) => workspace.wants(id));
    const counted = (host: string) => workspace.hosts().filter((one) => one === host).length;
    expect(workspace.hosts()).toHaveLength(PUSHES_IN_FLIGHT_MAX);
    expect(counted('a.example')).toBe(PUSHES_TO_HOST_MAX);
    await workspace.answerAll(201);
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 20, failed: 0, dropped: 0 });
  });

  it('[A5] [PU5] [F33] are given up by the alarm when there is no answer in time, and sent again later', async () => {
    const workspace = open(['a.example']);
    workspace.wants('s1');
    expect(workspace.alarmAt).toBe(NOW + PUSH_WITHIN_MS);
    workspace.advance(PUSH_WITHIN_MS - 1);
    await Promise.resolve();
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 0, failed: 0, dropped: 0 });
    workspace.advance(1);
    await expect.poll(() => workspace.registry.pushes.counts()).toEqual({ sent: 0, failed: 1, dropped: 0 });
    expect(workspace.alarmAt).toBe(NOW + PUSH_WITHIN_MS + PUSH_RETRIES_MS[0]);
  });

  it('[A5] [PU5] that find no room in the queue are dropped', async () => {
    const workspace = open(['a.example', 'b.example']);
    many(PUSH_QUEUE_MAX / 2 + 1, (id) => workspace.wants(id));
    expect(workspace.registry.pushes.due(NOW)).toHaveLength(PUSH_QUEUE_MAX);
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 0, failed: 0, dropped: 2 });
  });

  it('[A5] [PU5] are limited in number: a burst, and then some per second', async () => {
    const workspace = open(['a.example']);
    many(PUSHES_BURST_MAX, (id) => workspace.wants(id));
    await workspace.answerAll(503);
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 0, failed: PUSHES_BURST_MAX, dropped: 0 });
    workspace.advance(PUSH_RETRIES_MS[0]);
    await workspace.answerAll(201);
    const refilled = (PUSH_RETRIES_MS[0] / 1000) * PUSHES_PER_S_MAX;
    expect(workspace.registry.pushes.counts()).toEqual({
      sent: refilled,
      failed: PUSHES_BURST_MAX,
      dropped: PUSHES_BURST_MAX - refilled,
    });
  });

  it('[A5] [F33] wake the object once more at the most, unless one waits', async () => {
    const workspace = open(['a.example']);
    workspace.wants('s1');
    await workspace.answerAll(201);
    // The alarm that would have given it up is not taken back: others may count on it.
    expect(workspace.alarmAt).toBe(NOW + PUSH_WITHIN_MS);
    workspace.advance(PUSH_WITHIN_MS);
    expect(workspace.alarmAt, 'an object with nothing to tell is not woken').toBeNull();
  });

  it('[A5] [F33] that wait are not forgotten when the alarm rings for something else', async () => {
    const workspace = open(['a.example']);
    const [first, second] = PUSH_RETRIES_MS;
    workspace.wants('s1');
    await workspace.answerAll(null);
    expect(workspace.alarmAt).toBe(NOW + first);
    workspace.advance(first);
    await workspace.answerAll(null);
    // It would have given up the second try, which has been answered.
    expect(workspace.alarmAt).toBe(NOW + first + PUSH_WITHIN_MS);
    workspace.advance(PUSH_WITHIN_MS);
    expect(workspace.alarmAt).toBe(NOW + first + second);
  });

  it('[A5] [F33] that were on their way when the object was evicted are sent again, a bounded number of times', async () => {
    const workspace = open(['a.example']);
    workspace.wants('s1');
    for (const _ of PUSH_RETRIES_MS) {
      workspace.wakeUp();
      workspace.wants('s1');
      expect(workspace.hosts()).toHaveLength(1);
    }
    workspace.wakeUp();
    workspace.wants('s1');
    expect(workspace.hosts()).toEqual([]);
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 0, failed: 0, dropped: 1 });
    expect(workspace.registry.pushes.due(NOW)).toEqual([]);
  });

  it('[A5] that are superseded on their way do not remove the newer one', async () => {
    const workspace = open(['a.example']);
    workspace.wants('s1');
    workspace.wants('s1', '2026-11-18T09:00:01.000Z');
    await workspace.answerAll(201);
    expect(workspace.registry.pushes.nextDue(NOW)).toBe(NOW + 60_000);
    workspace.advance(60_000);
    await workspace.answerAll(201);
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 2, failed: 0, dropped: 0 });
  });
});

const repeated = (host: string, count: number) => Array.from({ length: count }, () => host);

describe('one message of an agent', () => {
  /** As many as a message of 64 KiB can name. */
  const SESSIONS = 200;
  /** For each session its row, what was planned for it, and its new plan; and each push that finds a place. */
  const most = 3 * SESSIONS + PUSH_QUEUE_MAX + 3 * PUSHES_IN_FLIGHT_MAX + 32;

  it.each([8, PUSH_SUBSCRIPTIONS_MAX])(
    '[X30] [SEC21] [PU5] that tells of many sessions takes little time, and pays for it (%i browsers)',
    (browsers) => {
      const workspace = open(repeated('a.example', browsers));
      for (const page of ['a', 'b', 'c']) {
        const cost = workspace.costOf(() => {
          many(SESSIONS, (id) => workspace.tells(`${page}${id}`));
          workspace.wants(`${page}last`);
        });
        expect(cost.statements).toBeLessThan(most);
        expect(cost.units).toBeGreaterThan(cost.statements / 2);
      }
    },
  );

  it('[X30] [SEC21] [PU5] that tells of one session again and again counts once', () => {
    const workspace = open(repeated('a.example', PUSH_SUBSCRIPTIONS_MAX));
    const at = (i: number) => new Date(NOW + i).toISOString();
    workspace.wants('s1', at(0));
    const cost = workspace.costOf(() => {
      for (let i = 1; i < SESSIONS; i++) workspace.tells('s1', at(i));
      workspace.wants('s1', at(SESSIONS));
    });
    // The row of the session is compared, and written if it differs, by the registry.
    expect(cost.statements).toBeLessThan(SESSIONS + PUSH_SUBSCRIPTIONS_MAX + 32);
    expect(workspace.registry.pushes.planned('s1')?.moment).toBe(at(SESSIONS));
  });
});

describe('pushes to viewers', () => {
  const viewers = repeated('v.example', PUSH_VIEWERS_MAX);

  it('[X31] [SEC15] [PU5] that nobody accepts leave half of the queue to operators', async () => {
    const workspace = open(['a.example'], viewers);
    many(PUSH_QUEUE_MAX / 4, (id) => workspace.wants(id));
    const queued = workspace.registry.pushes.due(NOW).map(({ subscription }) => subscription);
    const operator = `b${viewers.length}`;
    expect(queued.filter((one) => one === operator)).toHaveLength(PUSH_QUEUE_MAX / 4);
    expect(queued.filter((one) => one !== operator)).toHaveLength(PUSH_QUEUE_MAX * PUSHES_OF_VIEWERS);
  });

  it('[X31] [SEC15] [PU5] that hang leave half of the ways to operators, also to the same host', () => {
    const hanging = ['v.example', 'w.example', 'x.example', 'y.example', 'a.example', 'a.example'];
    const workspace = open(['a.example', 'b.example'], hanging);
    workspace.wants('s1');
    expect(workspace.hosts().toSorted()).toEqual([
      'a.example',
      'b.example',
      'v.example',
      'w.example',
      'x.example',
    ]);
  });

  it('[X31] [SEC15] [PU5] that are many leave half of what is sent at once to operators', async () => {
    const workspace = open(['a.example'], viewers);
    for (let i = 0; i < 40; i++) {
      workspace.wants(`s${i}`);
      await workspace.answerAll(201);
    }
    const burst = PUSHES_BURST_MAX * PUSHES_OF_VIEWERS;
    expect(workspace.registry.pushes.counts().sent).toBe(burst + 40);
  });
});
