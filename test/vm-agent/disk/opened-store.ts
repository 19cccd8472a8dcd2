/** A state store in a temporary directory, and what the next agent finds there. */
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { OpenStore, temporaryDirectory } from './some-session.ts';

export let dir: ReturnType<typeof temporaryDirectory>;
export let agent: OpenStore;

/** Called once at the top of a file: every test gets its own state directory. */
export function opensStores(): void {
  beforeEach(async () => {
    dir = temporaryDirectory();
    agent = await OpenStore.at(join(dir.path, 'state'));
  });
  afterEach(async () => {
    await agent.store.close();
    dir.remove();
  });
}
