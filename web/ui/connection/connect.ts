/** Builds the workspace client from browser APIs. */

import { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Clock } from '../../../protocol/clock.ts';
import { logOut, openLogin } from '../login/open-login.ts';
import { type PageSignIn, pageSignIn, takeOtherLogin } from '../login/sign-in.ts';
import { browserDial, type Place } from './browser-dial.ts';
import { inflateInBrowser } from './inflate.ts';
import { randomId } from './random-id.ts';
import { wakeOnReturn } from './wake-on-return.ts';
import { WorkerClock } from './worker-clock.ts';

export interface PageConnection {
  readonly client: WorkspaceClient;
  readonly clock: Clock;
  /** Null where the page has no login of its own because an embedder's token lets it in. */
  readonly logOut: (() => Promise<void>) | null;
  /** Null where the page has no login of its own. */
  readonly signIn: PageSignIn | null;
  leave(): void;
}

export function connectPage(place: Place): PageConnection {
  const thread = startThread();
  const clock = new WorkerClock(thread);
  const login = hasLogin(place) ? openLogin(place.relay, place.workspace) : undefined;
  const client = new WorkspaceClient({
    dial: browserDial(place, login),
    inflate: inflateInBrowser,
    clock,
    random: Math.random,
    watched: () => document.visibilityState === 'visible',
    renewable: place.getToken !== undefined,
    instance: randomId(),
  });
  const wake = () => {
    client.wake();
    if (login !== undefined) void takeOtherLogin(client, login);
  };
  const stopWaking = wakeOnReturn({ wake, doubt: () => client.probe() }, clock);
  const stopRenewing = login?.keepFresh(clock);
  return {
    client,
    clock,
    logOut: login === undefined ? null : () => logOut(place.relay, place.workspace),
    signIn: login === undefined ? null : pageSignIn(client, login, place.workspace),
    leave: () => {
      stopWaking();
      stopRenewing?.();
      client.leave();
      thread.terminate();
    },
  };
}

/** The page cookie works only for pages on the relay's own origin. */
function hasLogin({ getToken, relay }: Place): boolean {
  return getToken === undefined && relay.origin === location.origin;
}

function startThread(): Worker {
  return new Worker(new URL('./timer-worker.ts', import.meta.url), { type: 'module' });
}
