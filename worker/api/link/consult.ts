/** Calls the workspace's object directly, for what it can answer without the agent. */
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
