/** How many rows of the audit trail a flood of events gets. */
import { describe, expect, it } from 'vitest';
import {
  AUDIT_ACTIONS_MAX_PER_HOUR,
  AUDIT_ACTIONS_MAX_ROWS,
  AUDIT_REFUSALS_MAX_PER_HOUR,
  AUDIT_REFUSALS_MAX_ROWS,
  AUDIT_VISITS_MAX_PER_HOUR,
  AUDIT_VISITS_MAX_ROWS,
} from '../../../protocol/limits.ts';
import { FOLDED, HOUR_MS } from '../../../worker/audit/audit-rules.ts';
import { ADA, actor, BEN, Story } from './trail-story.ts';

const CLASSES = [
  { action: 'created', rows: AUDIT_ACTIONS_MAX_ROWS, perHour: AUDIT_ACTIONS_MAX_PER_HOUR },
  { action: 'attached', rows: AUDIT_VISITS_MAX_ROWS, perHour: AUDIT_VISITS_MAX_PER_HOUR },
  { action: 'refused', rows: AUDIT_REFUSALS_MAX_ROWS, perHour: AUDIT_REFUSALS_MAX_PER_HOUR },
] as const;

describe('a flood', () => {
  it.each(CLASSES)(
    '[AU3] of $action gets $perHour rows per hour; the next ones share a row',
    ({ action, perHour }) => {
      const story = new Story();
      for (let i = 0; i < perHour; i++) story.did(ADA, action, `s${i}`);
      expect(story.entries()).toHaveLength(perHour);
      for (let i = 0; i < 1000; i++) {
        story.did(ADA, action, `more${i}`);
        if (i % 100 === 0) story.evict();
      }
      expect(story.entries()).toHaveLength(perHour + 1);
      expect(story.entries(1)).toMatchObject([{ session: null, detail: FOLDED }]);
      story.did(BEN, action, 's1');
      expect(story.entries(1), 'somebody else has rows of their own').toMatchObject([
        { who: { name: 'Ben' } },
      ]);
      story.now += HOUR_MS;
      story.did(ADA, action, 'later');
      expect(story.entries(1)).toMatchObject([{ session: 'later' }]);
    },
  );

  it('[AU3] by a person with a new token for each event counts as one person', () => {
    const story = new Story();
    for (let i = 0; i < 500; i++) story.did(actor(`token-${i}`, 'Mallory'), 'attached', `s${i}`);
    const own = story.entries().filter(({ detail }) => detail !== FOLDED);
    expect(own).toHaveLength(AUDIT_VISITS_MAX_PER_HOUR);
  });

  it.each(CLASSES)(
    '[AU4] never creates more than $rows rows of its class ($action)',
    ({ action, rows, perHour }) => {
      const story = new Story();
      for (let i = 0; i <= rows; i++) {
        story.did(actor(`token-${i % Math.ceil(rows / perHour + 1)}`), action, `s${i}`);
        if (i === rows - 1) expect(story.entries()).toHaveLength(rows);
      }
      expect(story.entries()).toHaveLength(rows);
      expect(story.entries(1)).toMatchObject([{ session: `s${rows}` }]);
    },
  );

  it('[AU4] removes rows of the person with the most, so that it cannot push out the events of others', () => {
    const story = new Story();
    for (let i = 0; i < 20; i++) story.did(ADA, 'created', `ada${i}`);
    for (let hour = 0; hour < 20; hour++) {
      for (let i = 0; i < 130; i++) story.did(BEN, 'created', `ben${hour}-${i}`);
      story.now += HOUR_MS;
    }
    const entries = story.entries();
    expect(entries).toHaveLength(AUDIT_ACTIONS_MAX_ROWS);
    expect(entries.filter(({ who }) => who?.name === 'Ada')).toHaveLength(20);
    expect(
      entries.some(({ session }) => session === 'ben0-0'),
      "the flood's own oldest went",
    ).toBe(false);
  });

  it('[AU4] of refusals removes no row of actions and attaches', () => {
    const story = new Story();
    story.did(ADA, 'created', 's1');
    story.did(ADA, 'attached', 's1');
    for (let i = 0; i < 2 * AUDIT_REFUSALS_MAX_ROWS; i++)
      story.did(actor(`token-${i}`), 'refused', null, 'revoked');
    const kept = story.entries().filter(({ action }) => action !== 'refused');
    expect(kept.map(({ action }) => action)).toEqual(['attached', 'created']);
  });

  it('[AU4] does not write to a row that rotation has removed', () => {
    const story = new Story();
    for (let i = 0; i <= AUDIT_REFUSALS_MAX_ROWS; i++) {
      // Repeatedly, so that the row stays in memory; with the last of the others it is the oldest of all.
      if (i % 100 === 0) story.did(ADA, 'refused', null, 'forbidden');
      if (i > 0) story.did(actor(`token-${i}`), 'refused', null, 'revoked');
    }
    expect(story.entries().some(({ who }) => who?.name === 'Ada')).toBe(false);
    story.did(ADA, 'refused', null, 'forbidden');
    expect(story.entries(1)).toMatchObject([{ who: { name: 'Ada' }, count: 1 }]);
  });
});
