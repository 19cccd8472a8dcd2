/** The part of an address that the router sees, and the answer for one that is too long. */
import { describe, expect, it } from 'vitest';
import { URL_PATH_MAX_CHARS } from '../../../protocol/limits.ts';
import { createApp } from '../../../worker/app.ts';
import { routePath, TOO_LONG } from '../../../worker/http/route-path.ts';

const path = (address: string) => routePath(new Request(`http://relay.example${address}`));

describe('the path for routing', () => {
  it.each([
    ['/health', '/health'],
    ['/health/', '/health'],
    ['/', '/'],
    ['/w/a%2Db?x=/y', '/w/a-b'],
    [`/health?${'/'.repeat(2 * URL_PATH_MAX_CHARS)}`, '/health'],
  ])('[GT1] of %.30s is %s', (address, looked) => {
    expect(path(address)).toBe(looked);
  });

  it('[SEC21] [RL24] is as long as our paths can be, and no longer', () => {
    const longest = '/'.padEnd(URL_PATH_MAX_CHARS, 'a');
    expect(path(longest)).toBe(longest);
    expect(path(`${longest}a`)).toBe(TOO_LONG);
    expect(path(`${longest}a?x`)).toBe(TOO_LONG);
  });
});

describe('an address that is too long', () => {
  const ask = (address: string, method = 'GET') =>
    createApp().request(`http://relay.example${address}`, { method }, {});

  it.each(['', '/assets', '/api/workspaces/w/sessions', '/terminal/ws'])(
    '[SEC21] [RL24] matches no route, whatever it begins with: %s',
    async (beginning) => {
      const answer = await ask(beginning + '/'.repeat(120_000));
      expect([answer.status, await answer.json()]).toMatchObject([
        404,
        { error: { code: 'not_found', message: expect.stringContaining(`GET ${TOO_LONG}.`) } },
      ]);
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    },
  );

  it('[GT1] gets the allowed methods if only the method is wrong', async () => {
    const answer = await ask('/assets/a/b/c.js', 'POST');
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET']);
    expect((await ask('/api/workspaces/w/sessions/s/nothing', 'POST')).status).toBe(404);
  });
});
