/** How many pushes wait and are on their way, with a push service that answers when it is told. */
import { describe, expect, it } from 'vitest';
import {
  PUSH_QUEUE_MAX,
  PUSH_RETRIES_MS,
  PUSHES_BURST_MAX,
  PUSHES_IN_FLIGHT_MAX,
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

/** A workspace whose browsers are at `hosts`, one each. */
function open(hosts: readonly string[]) {
  const { sql } = sqliteStorage();
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
      turn: new Turn(NOW),
      hosts: readPushHosts(hosts.join(' ')),
      contact: null,
      post: (push) => new Promise((answer) => waiting.push({ push, answer })),
      now: () => now,
    });
  let pushes = start();
  registry.subscriptions.keepKey({ publicKey: 'public', privateKey: '{}' });
  for (const [i, host] of hosts.entries()) {
    registry.subscriptions.add({
      id: `b${i}`,
      person: `operator ${i}`,
      role: 'operator',
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
      const before = registry.sessions.get(id, now);
      const told = sessionInfo(id, { attention: attention(at === undefined ? {} : { at }) });
      registry.sessions.put(told, 1);
      pushes.noticed(before, told, now);
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
    many(5, workspace.wants);
    const counted = (host: string) => workspace.hosts().filter((one) => one === host).length;
    expect(workspace.hosts()).toHaveLength(PUSHES_IN_FLIGHT_MAX);
    expect(counted('a.example')).toBe(PUSHES_TO_HOST_MAX);
    await workspace.answerAll(201);
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 20, failed: 0, dropped: 0 });
  });

  it('[A5] [PU5] that find no room in the queue are dropped', async () => {
    const workspace = open(['a.example', 'b.example']);
    many(PUSH_QUEUE_MAX / 2 + 1, workspace.wants);
    expect(workspace.registry.pushes.due(NOW)).toHaveLength(PUSH_QUEUE_MAX);
    expect(workspace.registry.pushes.counts()).toEqual({ sent: 0, failed: 0, dropped: 2 });
  });

  it('[A5] [PU5] are limited in number: a burst, and then some per second', async () => {
    const workspace = open(['a.example']);
    many(PUSHES_BURST_MAX, workspace.wants);
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

  it('[A5] [F33] set the alarm only if one waits, and only for the next', async () => {
    const workspace = open(['a.example']);
    workspace.wants('s1');
    await workspace.answerAll(201);
    expect(workspace.alarmAt, 'an object with nothing to tell is not woken').toBeNull();
    workspace.wants('s2');
    await workspace.answerAll(null);
    expect(workspace.alarmAt).toBe(NOW + PUSH_RETRIES_MS[0]);
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
