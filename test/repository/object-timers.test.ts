/** Which files of the relay's objects use timers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productFiles, ROOT } from './imports.ts';

/** What runs in a Durable Object. */
const IN_AN_OBJECT = /^worker\/(workspace|push|registry|peers|audit|fleet)\//;

const TIMERS = /\bsetTimeout\(|\bsetInterval\(|\bAbortSignal\.timeout\(|\bscheduler\.wait\(|\bworkerClock\b/;

/** With the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'worker/workspace/terminal-inlet.ts': 'the timer that ends a pause; it has no other',
};

describe('a Durable Object that pauses', () => {
  it('[RL17] has no other timers: one that is due meanwhile would keep the pause from ending', () => {
    // Seen with workerd 1.20260730: a timer that is due waits for the pause (blockConcurrencyWhile), and the timers behind
    // it wait for it, also the one inside of the pause. The object accepts nothing until it is reset after 30 s.
    const users = productFiles()
      .filter((file) => IN_AN_OBJECT.test(file))
      .filter((file) => TIMERS.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(users).toEqual(Object.keys(ALLOWED));
  });
});
