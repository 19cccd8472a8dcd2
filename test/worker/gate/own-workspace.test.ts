/** Routes that name no workspace: that of the token is meant. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routes } from '../../../worker/app.ts';
import { signPageCookie } from '../../../worker/gate/own-credentials.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';
import { refusalOf } from './refused-request.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.onWorkerd();
});
afterAll(() => relay[Symbol.asyncDispose]());

const unnamed = routes.filter(
  ({ access }) => access !== 'public' && 'workspace' in access && access.workspace === 'of the token',
);

async function cookieFor(workspace: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { ws: workspace, role: 'operator', exp, jti: 'some-token', iat: exp - 3600 } as const;
  const { cookie } = await signPageCookie(claims, { secret: SECRET }, Date.now());
  return `holdfast-${relay.url.port}-${workspace}=${cookie}`;
}

it('[GT3] are these, and only tokens work there', () => {
  expect(unnamed.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /mcp']);
  for (const { access } of unnamed) expect(access).toMatchObject({ credentials: ['bearer'] });
});

it.each(unnamed)(
  '[SEC3] [GT3] [GT4] $method $path takes no cookie, whatever is named',
  async ({ method, path }) => {
    const before = await relay.counts();
    for (const workspace of [relay.workspace, 'other', '']) {
      for (const query of ['', `?workspace=${workspace}`]) {
        const headers = { Cookie: await cookieFor(workspace), Origin: relay.url.origin };
        const answer = await refusalOf(new URL(`${path}${query}`, relay.url), method, headers);
        expect(answer).toMatchObject({ status: 401, error: { code: 'unauthorized' } });
      }
    }
    expect(await relay.counts(), 'nothing of a refused request reaches an object').toEqual(before);
  },
);
