/** What the tools need, in the Worker: a client of the workspace for each call, with the limits of the HTTP API. */
import type { Context } from 'hono';
import { ToolError } from '../../mcp/call/tool-error.ts';
import type { ToolHost } from '../../mcp/call/tool-host.ts';
import { AWAIT_MAX_MS } from '../../protocol/limits.ts';
import { openAccount } from '../api/answer/held-answer.ts';
import { withApiClient } from '../api/link/open-client.ts';
import { waitingSeats } from '../api/link/waiting-seats.ts';
import { digestOf } from '../api/request/idempotency.ts';
import { textOf } from '../api/search/wait.ts';
import { screenText } from '../api/snapshot/snapshot.ts';
import { ApiError, apiErrorOf } from '../http/api-error.ts';
import type { App } from '../http/http.ts';
import { errorName, log } from '../platform/log.ts';
import { workerClock } from '../platform/worker-clock.ts';

export function workerHost(c: Context<App>): ToolHost {
  const { role, credential } = c.var.principal.caller;
  return {
    clock: workerClock,
    name: credential.name,
    // Each call has a connection of its own, so the token stands for the assistant, with the name that it tells.
    holderOf: (actor) => digestOf(`mcp\n${credential.tokenId}\n${actor}`),
    role: async () => (role === 'agent' ? null : role),
    withClient: (act) => withApiClient(c, {}, act),
    async withWaitingClient(act) {
      const leave = waitingSeats.enterFor(c);
      return withApiClient(c, {}, act).finally(leave);
    },
    // The client leaves with the call, and its place at the agent with it.
    waitAtOnceMs: AWAIT_MAX_MS,
    withOwnClient: async (_, act) => {
      const account = openAccount(c);
      try {
        return await withApiClient(c, { account }, act);
      } finally {
        account.close();
      }
    },
    takeScreen: (session) => screenText(c, session),
    printed: ({ session, ...sought }, withinMs) =>
      textOf(c, session, { ...sought, from: 'screen' }, workerClock.now() + withinMs).catch((error) => {
        if (error instanceof ApiError && error.status === 408 && error.code === 'timeout') return null;
        throw error;
      }),
    newKey: () => crypto.randomUUID(),
    digest: digestOf,
    explain,
  };
}

function explain(error: unknown): ToolError | undefined {
  if (error instanceof ApiError) return new ToolError(error.code, error.message);
  if (apiErrorOf(error) === undefined) log('error', 'unhandled', { route: '/mcp', error: errorName(error) });
  return undefined;
}
