/** `wait` that begins while a program is in the middle of a sequence: real relay, real agent. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SessionInfo } from '../../protocol/messages.ts';
import type { ApiClient } from '../support/api-client.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { World } from '../support/world.ts';

let world: World;
let api: ApiClient;
beforeAll(async () => {
  world = await World.open();
  api = await world.api();
});
afterAll(() => world[Symbol.asyncDispose]());

const attached = async (id: string) =>
  (await api.ask<{ sessions: SessionInfo[] }>('GET', '/sessions')).body.sessions.find(
    (session) => session.id === id,
  )?.attached;

it.each([
  ['the screen', () => ({})],
  ['what is printed now', () => ({ from: 'now' })],
  ["a snapshot's offset", (offset: number) => ({ since: `${offset}` })],
])('[D6] finds what is printed and nothing of the sequence, beginning with %s', async (_where, query) => {
  using program = await RecordingProgram.start(await world.client());
  await program.prints('before \x1b[3');
  await api.waitFor(program.id, { text: 'before' });
  await expect.poll(() => attached(program.id)).toBe(0);
  const { offset } = await api.snapshot(program.id);
  const found = api.waitFor(program.id, { pattern: '1mRED|^RED', ...query(offset) });
  await expect.poll(() => attached(program.id)).toBe(1);
  await program.prints('1mRED');
  expect((await found).body).toEqual({ text: 'RED' });
});
