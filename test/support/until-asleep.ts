/** The only wait for real time: workerd puts an object to sleep when nothing has reached it for ten seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRelay } from './test-relay.ts';

const ASLEEP_AFTER_MS = 15_000;
const LOOK_EVERY_MS = 500;

export async function untilAsleep(relay: TestRelay): Promise<void> {
  let { messages } = await relay.counts();
  for (let quietMs = 0; quietMs < ASLEEP_AFTER_MS; quietMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
    const now = await relay.counts();
    if (now.messages !== messages) quietMs = 0;
    messages = now.messages;
  }
}
