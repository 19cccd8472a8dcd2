/** How much was printed since some time. */
import { describe, expect, it } from 'vitest';
import { OutputRecord, POINT_EVERY_MS, POINTS_MAX } from '../../../vm-agent/attention/output-record.ts';

describe('[A6] the bytes printed since some time', () => {
  it('are none if nothing was printed', () => {
    const record = new OutputRecord(1000, 500);
    expect([record.printedSince(0), record.printedSince(2000)]).toEqual([0, 0]);
  });

  it('are those after a pause, and not those before', () => {
    const record = new OutputRecord(0, 0);
    for (let at = 0; at <= 50_000; at += 100) record.printed(at, at);
    record.printed(600_000, 50_007);
    expect([record.printedSince(55_000), record.printedSince(600_001)]).toEqual([7, 0]);
  });

  it('are known about as exactly as the points are apart', () => {
    const record = new OutputRecord(0, 0);
    for (let at = 0; at <= 600_000; at += 100) record.printed(at, at);
    const printed = record.printedSince(300_000);
    expect(printed).toBeGreaterThanOrEqual(300_000);
    expect(printed).toBeLessThanOrEqual(300_000 + POINT_EVERY_MS + 100);
  });

  it('are counted from the beginning of the record, if that is later', () => {
    const record = new OutputRecord(1000, 500);
    record.printed(2000, 520);
    expect(record.printedSince(0)).toBe(20);
  });

  it('need bounded memory, and lose exactness with age', () => {
    const record = new OutputRecord(0, 0);
    const day = 24 * 3600 * 1000;
    for (let at = 0; at <= day; at += POINT_EVERY_MS) record.printed(at, at);
    expect(record.points).toBeLessThanOrEqual(POINTS_MAX);
    for (const age of [60_000, 3_600_000, 6 * 3_600_000]) {
      const printed = record.printedSince(day - age);
      expect(printed, `${age}`).toBeGreaterThanOrEqual(age);
      expect(printed, `${age}`).toBeLessThanOrEqual(1.2 * age + 2 * POINT_EVERY_MS);
    }
  });
});
