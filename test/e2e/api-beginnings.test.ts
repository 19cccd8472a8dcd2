/** How `wait` and `stream` start, also while a program is in the middle of a sequence: real relay, real agent. */
import { expect, it } from 'vitest';
import { VIEWERS_SEARCHES_MAX } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { api, opensApi, world } from './api-world.ts';

opensApi();

const attached = async (id: string) =>
  (await api.ask<{ sessions: SessionInfo[] }>('GET', '/sessions')).body.sessions.find(
    (session) => session.id === id,
  )?.attached;

it.each([
  ['the screen', () => ({})],
  ['new output', () => ({ from: 'now' })],
  ["a snapshot's offset", (offset: number) => ({ since: `${offset}` })],
])('[D6] `wait` finds printed text and no part of a sequence, starting with %s', async (_where, query) => {
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

it('[D10] the first event of a stream, and only that, sets the retry delay', async () => {
  using program = await RecordingProgram.start(await world.client());
  const leave = new AbortController();
  const headers = await world.relay.bearer('operator');
  const response = await fetch(api.url(`/sessions/${program.id}/stream`), { headers, signal: leave.signal });
  let text = '';
  const decoder = new TextDecoder();
  await program.prints('printed');
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (/^event: data\n/m.test(text)) break;
  }
  expect(text).toMatch(/^retry: 2000\nevent: snapshot\n/);
  expect(text.match(/^retry:/gm)).toHaveLength(1);
  leave.abort();
});

it('[X3] [RL24] the maximum of viewers waiting for text leaves room for an operator', async () => {
  using program = await RecordingProgram.start(await world.client());
  const leave = new AbortController();
  // With a token of its own each, because one token has fewer.
  const wait = async () =>
    fetch(api.url(`/sessions/${program.id}/wait?for=text&text=never&timeout=60`), {
      headers: await world.relay.bearer('viewer'),
      signal: leave.signal,
    });
  const waiting = Array.from({ length: VIEWERS_SEARCHES_MAX }, () =>
    wait().catch((error: Error) => error.name),
  );
  await expect.poll(() => attached(program.id)).toBe(VIEWERS_SEARCHES_MAX);
  expect((await wait()).status).toBe(429);
  await program.prints('printed');
  expect((await api.waitFor(program.id, { text: 'printed' })).body).toEqual({ text: 'printed' });
  leave.abort();
  await Promise.all(waiting);
});
