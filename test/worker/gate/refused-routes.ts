/**
 * Tries routes in ways that the gate must refuse. Every refused request must leave the workspaces asleep.
 */
import { expect } from 'vitest';
import { SUBPROTOCOL } from '../../../protocol/version.ts';
import type { routes } from '../../../worker/app.ts';
import type { Counts, TestRelay } from '../../support/test-relay.ts';
import { type Answer, refusalOf } from './refused-request.ts';

export type Route = (typeof routes)[number];
export type Headers = Readonly<Record<string, string>>;
type Tried = Answer & { readonly headers: Headers };

const UPGRADE = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Protocol': SUBPROTOCOL };

export const isSocket = ({ path }: Pick<Route, 'path'>) => /^\/(?:ws|terminal)\//.test(path);

/** The relay is started later than tests are declared. */
export function triesOn(relay: () => TestRelay) {
  function address(path: string, workspace = relay().workspace): URL {
    const query = path.startsWith('/terminal/') ? `?workspace=${workspace}` : '';
    return new URL(
      path.replace(':ws', workspace).replace(':id', 's1').replace(':jti', 'some-token') + query,
      relay().url,
    );
  }

  function ask({ method, path }: Route, headers: Headers, workspace?: string): Promise<Answer> {
    const upgrade = isSocket({ path }) ? UPGRADE : {};
    return refusalOf(address(path, workspace), method, { ...upgrade, ...headers });
  }

  async function expectAsleep(before: Counts): Promise<void> {
    // Neither woken nor requested, so that it does not matter whether it was awake.
    expect(await relay().counts(), 'nothing of a refused request reaches an object').toEqual(before);
  }

  /** Tries a route once. */
  async function attempt(route: Route, headers: Headers, workspace?: string): Promise<Answer> {
    const before = await relay().counts();
    const answer = await ask(route, headers, workspace);
    await expectAsleep(before);
    return answer;
  }

  /**
   * Tries many routes, each in several ways; the result tells how one of them answered. All are tried at once when the
   * first is needed, because the relay delays refusals: a hundred together take as long as one.
   */
  function attempts(
    tried: readonly Route[],
    waysOf: (route: Route) => readonly Headers[] | Promise<readonly Headers[]>,
  ): (route: Route) => Promise<readonly Tried[]> {
    const inAllWays = async (route: Route) => {
      const ways = await waysOf(route);
      return Promise.all(ways.map(async (headers) => ({ ...(await ask(route, headers)), headers })));
    };
    const begin = async () => {
      const before = await relay().counts();
      const answers = tried.map(inAllWays);
      // One that is let in fails the test of its own route, which is perhaps not there yet.
      for (const answer of answers) answer.catch(() => {});
      return { before, answers };
    };
    let begun: ReturnType<typeof begin> | undefined;
    return async (route) => {
      begun ??= begin();
      const { before, answers } = await begun;
      const own = await answers[tried.indexOf(route)];
      if (own === undefined) throw new Error(`invariant: ${route.path} was tried`);
      await expectAsleep(before);
      return own;
    };
  }

  return { address, attempt, attempts };
}

/** Every one of these was refused like that. */
export function expectStatus(answers: readonly Tried[], status: number): void {
  for (const one of answers) expect(one.status, JSON.stringify(one.headers)).toBe(status);
}
