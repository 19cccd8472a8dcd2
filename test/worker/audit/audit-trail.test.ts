/** The rules of the trail on real SQL, with a hand-driven clock: what shares a row, what is removed, what it costs. */
import { describe, expect, it } from 'vitest';
import {
  AUDIT_COALESCE_MS,
  AUDIT_DETAIL_MAX_CHARS,
  AUDIT_KEPT_MS,
  AUDIT_TYPED_COALESCE_MS,
  AUDIT_VISIT_COALESCE_MS,
} from '../../../protocol/limits.ts';
import { type Actor, actorKey, classOf, FOLDED, HOUR_MS, QUOTAS } from '../../../worker/audit/audit-rules.ts';
import { seedsFor, tellStory } from '../../support/property.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { ADA, actor, BEN, Story } from './trail-story.ts';

describe('events of one kind', () => {
  it.each([
    { action: 'closed', window: AUDIT_COALESCE_MS },
    { action: 'refused', window: AUDIT_COALESCE_MS },
    { action: 'attached', window: AUDIT_VISIT_COALESCE_MS },
    { action: 'typed', window: AUDIT_TYPED_COALESCE_MS },
  ] as const)(
    '[AU2] $action shares a row for $window ms, with a count, and no longer',
    ({ action, window }) => {
      const story = new Story();
      const begun = story.now;
      story.did(ADA, action, 's1');
      story.now = begun + window - 1;
      story.did(ADA, action, 's1');
      expect(story.entries()).toMatchObject([
        { count: 2, at: new Date(begun).toISOString(), until: new Date(story.now).toISOString() },
      ]);
      story.now = begun + window;
      story.did(ADA, action, 's1');
      expect(story.said()).toEqual([`Ada ${action} s1 ×1`, `Ada ${action} s1 ×2`]);
    },
  );

  it('[AU2] share a row only with the same token, role, client, action, session and detail', () => {
    const story = new Story();
    story.did(ADA, 'closed', 's1');
    story.did(BEN, 'closed', 's1');
    story.did({ ...ADA, tokenId: 'token-ada-2' }, 'closed', 's1');
    story.did({ ...ADA, role: 'viewer' }, 'closed', 's1');
    story.did({ ...ADA, client: 'api' }, 'closed', 's1');
    story.did(ADA, 'renamed', 's1', 'one');
    story.did(ADA, 'renamed', 's1', 'two');
    story.did(ADA, 'closed', 's2');
    expect(story.entries().map(({ count }) => count)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('[AU2] share a row even if the object was evicted in between', () => {
    const story = new Story();
    for (let i = 0; i < 3; i++) {
      story.did(ADA, 'attached', 's1');
      story.evict();
    }
    // The third is not written, and the eviction has lost it: a count is a lower bound.
    expect(story.said()).toEqual(['Ada attached s1 ×2']);
  });

  it('[AU2] of a thousand in a minute cost eleven writes, and are counted exactly while the object is awake', () => {
    const story = new Story();
    for (let i = 0; i < 1024; i++) story.did(ADA, 'attached', 's1');
    // One looks for rows that are too old, one is the row itself, then 2, 4, … 1024.
    expect(story.writes).toBe(2 + 10);
    for (let i = 0; i < 500; i++) story.did(ADA, 'attached', 's1');
    expect(story.writes).toBe(2 + 10);
    expect(story.said()).toEqual(['Ada attached s1 ×1524']);
    story.evict();
    expect(story.said(), 'at least half of it is known for good').toEqual(['Ada attached s1 ×1024']);
  });

  it('[AU2] that continue for long are written once a minute, so that their end is known', () => {
    const story = new Story();
    for (let minute = 0; minute < 59; minute++) {
      story.did(ADA, 'typed', 's1');
      story.now += 60_000;
    }
    story.evict();
    const [row] = story.entries();
    expect([row?.count, row?.until]).toEqual([59, new Date(story.now - 60_000).toISOString()]);
  });

  it('[AU2] have their pending count written when their row closes', () => {
    const story = new Story();
    for (let i = 0; i < 3; i++) story.did(ADA, 'closed', 's1');
    story.now += AUDIT_COALESCE_MS;
    story.did(ADA, 'closed', 's1');
    story.evict();
    expect(story.said()).toEqual(['Ada closed s1 ×1', 'Ada closed s1 ×3']);
  });
});

describe('the trail', () => {
  it('[AU4] deletes what is thirty days old, and shows nothing older', () => {
    const story = new Story();
    story.did(ADA, 'created', 'old');
    story.now += AUDIT_KEPT_MS;
    expect(story.said()).toEqual(['Ada created old ×1']);
    story.now += 1;
    expect(story.said()).toEqual([]);
    const before = story.writes;
    story.did(ADA, 'created', 'new');
    expect(story.writes - before, 'removed with the next new row').toBe(2);
    story.now -= AUDIT_KEPT_MS / 2;
    expect(story.said()).toEqual(['Ada created new ×1']);
  });

  it('[AU6] is read newest first, in pages, since a time and by session', () => {
    const story = new Story();
    for (let i = 0; i < 5; i++) {
      story.did(ADA, 'created', `s${i}`);
      story.now += 1000;
    }
    const read = (limit: number, before: number | null = null, since = 0, session: string | null = null) =>
      story.trail.read({ since, before, session, limit }, story.now);
    const first = read(2);
    expect([first.entries.map(({ session }) => session), first.more]).toEqual([['s4', 's3'], true]);
    const rest = read(3, first.entries[1]?.id ?? 0);
    expect([rest.entries.map(({ session }) => session), rest.more]).toEqual([['s2', 's1', 's0'], false]);
    expect(read(9, null, story.now - 2000).entries.map(({ session }) => session)).toEqual(['s4', 's3']);
    expect(read(9, null, 0, 's2').entries.map(({ session }) => session)).toEqual(['s2']);
  });

  it('[AU7] makes details one printable line of limited length', () => {
    const story = new Story();
    story.did(ADA, 'renamed', 's1', `\x1b]0;evil\x07\u202e\n${'x'.repeat(AUDIT_DETAIL_MAX_CHARS)}`);
    const [row] = story.entries();
    expect(row?.detail).toBe(`]0;evil${'x'.repeat(AUDIT_DETAIL_MAX_CHARS)}`.slice(0, AUDIT_DETAIL_MAX_CHARS));
  });

  it.each(seedsFor('audit-bounds'))(
    '[AU3] [AU4] keeps every limit under 5000 seeded events of eight people, with evictions (HOLDFAST_SEED=%d)',
    (seed) =>
      tellStory('audit-bounds', seed, () => {
        const story = new Story();
        const actors = [ADA, BEN, ...Array.from({ length: 6 }, (_, i) => actor(`token-${i}`))];
        seededEvents(story, { seed, steps: 5000, actors }, (step) => {
          if (step % 50 === 0) story.evict();
          if (step % 500 === 0) boundsHold(story, actors);
        });
        boundsHold(story, actors);
      }),
  );

  it.each(seedsFor('audit-counts'))(
    '[AU2] counts each of 3000 seeded events while it is awake and below its quotas (HOLDFAST_SEED=%d)',
    (seed) =>
      tellStory('audit-counts', seed, () => {
        const story = new Story();
        const made = seededEvents(story, { seed, steps: 3000, actors: [ADA, BEN] }, () => {});
        const told: Record<string, number> = {};
        for (const { action, count } of story.entries()) told[action] = (told[action] ?? 0) + count;
        expect(told).toEqual(made);
      }),
  );
});

interface Run {
  readonly seed: number;
  readonly steps: number;
  readonly actors: readonly Actor[];
}

/**
 * Random people do random things in one of forty sessions; some seconds pass now and then. Returns how often each was
 * done.
 */
function seededEvents(story: Story, { seed, steps, actors }: Run, each: (step: number) => void) {
  const random = seededRandom(seed);
  const made: Record<string, number> = {};
  for (let step = 0; step < steps; step++) {
    const action = random.pick(['attached', 'left', 'typed', 'created', 'closed', 'refused'] as const);
    story.did(random.pick(actors), action, `s${random.int(0, 39)}`);
    made[action] = (made[action] ?? 0) + 1;
    if (random.chance(0.3)) story.now += random.int(0, 30_000);
    each(step);
  }
  return made;
}

function boundsHold(story: Story, actors: readonly Actor[]): void {
  const entries = story.entries();
  for (const [kind, { rows, perHour }] of Object.entries(QUOTAS)) {
    const own = entries.filter(({ action }) => classOf(action) === kind);
    expect(own.length).toBeLessThanOrEqual(rows);
    for (const one of actors) {
      const recent = own.filter(
        ({ at, detail, who }) =>
          detail !== FOLDED && actorKey(who) === actorKey(one) && Date.parse(at) > story.now - HOUR_MS,
      );
      expect(recent.length).toBeLessThanOrEqual(perHour);
    }
  }
}
