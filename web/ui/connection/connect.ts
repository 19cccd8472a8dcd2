/** Builds the workspace client from browser APIs. */

import { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Clock } from '../../../protocol/clock.ts';
import { MutedSessions } from '../attention/muted-sessions.ts';
import { logOut, openLogin } from '../login/open-login.ts';
import { type PageSignIn, pageSignIn, takeOtherLogin } from '../login/sign-in.ts';
import { browserPush } from '../push/browser-push.ts';
import { PushSwitch } from '../push/push-switch.ts';
import { relayPush } from '../push/relay-push.ts';
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
  /** Null where the page has no login of its own: an embedder has its own notifications. */
  readonly push: PushSwitch | null;
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
    asksPeople: true,
  });
  const wake = () => {
    client.wake();
    if (login !== undefined) void takeOtherLogin(client, login);
  };
  const stopWaking = wakeOnReturn({ wake, doubt: () => client.probe() }, clock);
  const stopRenewing = login?.keepFresh(clock);
  const push = login === undefined ? null : openPush(place, client);
  return {
    client,
    clock,
    logOut: login === undefined ? null : () => leaveLogin(place, push, clock),
    signIn: login === undefined ? null : pageSignIn(client, login, place.workspace),
    push,
    leave: () => {
      stopWaking();
      stopRenewing?.();
      client.leave();
      thread.terminate();
    },
  };
}

function openPush({ relay, workspace }: Place, client: WorkspaceClient): PushSwitch {
  const push = new PushSwitch({
    browser: browserPush(workspace),
    relay: relayPush(relay, workspace),
    muted: new MutedSessions(localStorage, workspace),
  });
  client.onChange(() => void (client.state.name === 'live' && push.start()));
  return push;
}

/** Push services answer within this time; signing out must not wait for one that does not. */
const UNSUBSCRIBE_WITHIN_MS = 2_000;

/** First the subscription, for which the relay needs the login. */
async function leaveLogin({ relay, workspace }: Place, push: PushSwitch | null, clock: Clock): Promise<void> {
  const late = new Promise<void>((resolve) => void clock.after(UNSUBSCRIBE_WITHIN_MS, resolve));
  await Promise.race([push?.turnOff(), late]);
  await logOut(relay, workspace);
}

/** The page cookie works only for pages on the relay's own origin. */
function hasLogin({ getToken, relay }: Place): boolean {
  return getToken === undefined && relay.origin === location.origin;
}

function startThread(): Worker {
  return new Worker(new URL('./timer-worker.ts', import.meta.url), { type: 'module' });
}
