/** A real relay and a real agent, and their API. */
import { afterAll, beforeAll } from 'vitest';
import type { ApiClient } from '../support/api-client.ts';
import { World } from '../support/world.ts';

export let world: World;
export let api: ApiClient;

/** Called once at the top of a file: all of its tests share them. */
export function opensApi(): void {
  beforeAll(async () => {
    world = await World.open();
    api = await world.api();
  });
  afterAll(() => world[Symbol.asyncDispose]());
}

/** A program that prints each line of its input. */
const ECHO = { args: ['-c', 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done'] };

export async function echoing(): Promise<string> {
  const { id } = await api.create(ECHO);
  await api.waitFor(id, { text: 'ready' });
  return id;
}
