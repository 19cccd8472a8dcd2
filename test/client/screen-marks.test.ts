import { describe, expect, it } from 'vitest';
import { ScreenQueue } from '../../client/screen-queue.ts';

const SCREEN = { write() {}, reset() {}, resize() {} };

describe('[T3] a screen is told what proves the marks of a session', () => {
  it('once, and again when it changes', () => {
    const told: (string | null)[] = [];
    const queue = new ScreenQueue({ ...SCREEN, expectMarks: (nonce) => told.push(nonce) }, () => {});
    for (const nonce of ['one', 'one', 'two', null, null]) queue.expectMarks(nonce);
    expect(told).toEqual(['one', 'two', null]);
  });

  it('unless it shows none', () => {
    const queue = new ScreenQueue(SCREEN, () => {});
    queue.expectMarks('one');
    expect(queue.cost).toBe(0);
  });
});
