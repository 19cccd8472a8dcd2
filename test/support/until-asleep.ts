/**
 * The only wait for real time: workerd puts an object to sleep when nothing has reached it for ten seconds.
 *
 * Unless two events have met: if an upgrade is answered while a later event is still under way, the object stays awake
 * as long as that socket is open (workerd before 1.20260805). Of two sockets that are opened at once,
 * most have this effect. So a story about sleep connects one after the other, each when the object is at rest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRelay } from './test-relay.ts';

const ASLEEP_AFTER_MS = 12_000;
const AT_REST_AFTER_MS = 1_000;
const LOOK_EVERY_MS = 500;
/** The agent's proof and its hello; it has connected before. */
const AGENT_STARTS_WITH = 2;

export function untilAsleep(relay: TestRelay): Promise<void> {
  return untilQuiet(relay, ASLEEP_AFTER_MS);
}

/** Resolves when the agent is online and the object has nothing to do, without connecting to it. */
export async function untilAtRest(relay: TestRelay): Promise<void> {
  while ((await relay.counts()).messages < AGENT_STARTS_WITH) await sleep(LOOK_EVERY_MS);
  await untilQuiet(relay, AT_REST_AFTER_MS);
}

async function untilQuiet(relay: TestRelay, quietMs: number): Promise<void> {
  let reached = await reachedBy(relay);
  let since = performance.now();
  while (performance.now() - since < quietMs) {
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
  return `${sockets} sockets, ${await relay.ends()} ends, ${messages} messages, ${alarms} alarms`;
}
