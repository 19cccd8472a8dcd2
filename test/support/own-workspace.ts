/** A workspace for every test of a file, on relays that the tests of the file share. */
import { beforeEach } from 'vitest';
import { type SharedRelays, sharedRelays } from './shared-relays.ts';
import type { TestRelay } from './test-relay.ts';

/** The workspace of the test that runs. */
export let relay: TestRelay;
let relays: SharedRelays;

/** Called once at the top of a file. */
export function startsWorkspaces(): void {
  relays = sharedRelays();
  beforeEach(async () => {
    relay = await relays.onWorkerd();
  });
}

/** A relay whose objects can be put to sleep, instead of the one that starts quickly. */
export async function hibernating(): Promise<void> {
  relay = await relays.start();
}
