/** How many requests for files may wait, with a clock that is moved by hand. */
import { afterEach, expect, it, vi } from 'vitest';
import files from '../../../worker/static-files/index.ts';

afterEach(() => void vi.useRealTimers());

const LENGTH = 256 * 1024;
const env = {
  DISK: { fetch: async () => new Response('x', { headers: { 'Content-Length': `${LENGTH}` } }) },
  ETAGS: { '/assets/a.png': 'tag' },
  HEADERS: '',
} as never;

it('[SEC21] [RL24] a file that would wait for long is refused, and the next visitor finds the relay free again', async () => {
  vi.useFakeTimers();
  const ask = async () => {
    const request = new Request('http://relay/assets/a.png') as never;
    return (await files.fetch(request, env)).status;
  };
  const asked = Array.from({ length: 1000 }, ask);
  await vi.advanceTimersByTimeAsync(20_000);
  const statuses = await Promise.all(asked);
  expect(statuses.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 200));
  expect(statuses.at(-1)).toBe(503);
  const next = ask();
  await vi.advanceTimersByTimeAsync(100);
  expect(await next).toBe(200);
});
