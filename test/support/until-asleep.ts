/** The only wait for real time: workerd puts an object to sleep when nothing has reached it for ten seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRelay } from './test-relay.ts';

const ASLEEP_AFTER_MS = 12_000;
const LOOK_EVERY_MS = 500;

export async function untilAsleep(relay: TestRelay): Promise<void> {
  let reached = await reachedBy(relay);
  let since = performance.now();
  while (performance.now() - since < ASLEEP_AFTER_MS) {
    await sleep(LOOK_EVERY_MS);
    const now = await reachedBy(relay);
    if (now === reached) continue;
    reached = now;
    since = performance.now();
  }
}

/** Everything that has reached the object, counted without waking it. */
async function reachedBy(relay: TestRelay): Promise<string> {
  const { sockets, messages, alarms } = await relay.counts();
  return `${sockets} sockets, ${messages} messages, ${alarms} alarms`;
}
