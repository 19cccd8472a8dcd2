/**
 * Asks the workspace's object by a call, for requests that the registry alone answers: lists, one session, the audit
 * trail, the relay's figures. They need no agent, so they work while it is offline, and take no client's seat, so they
 * work while all are taken. Everything else goes through a client (open-client.ts).
 */
import type { Context } from 'hono';
import type { Caller } from '../../gate/caller.ts';
import { ApiError } from '../../http/api-error.ts';
import { type App, workspaceOf } from '../../http/http.ts';
import type { Answer, Workspace } from '../../workspace/workspace.ts';

export async function consult<T>(
  c: Context<App>,
  question: (workspace: DurableObjectStub<Workspace>, caller: Caller) => Promise<Answer<T>>,
): Promise<T> {
  const answer = await question(workspaceOf(c), c.var.principal.caller);
  if (answer.ok) return answer.value;
  throw new ApiError(401, 'unauthorized', answer.why);
}
