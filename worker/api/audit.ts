/** Serves the audit trail over HTTP. Operators and the relay's owner can read it; nothing can change it. */
import type { Context } from 'hono';
import type { AuditPage } from '../../protocol/audit.ts';
import type { AuditQuery } from '../audit/audit-store.ts';
import { ApiError } from '../http/api-error.ts';
import { type App, askerOf, callWorkspace, type Handler } from '../http/http.ts';
import { listedMachine } from '../http/owner/fleet-object.ts';
import { requestPace } from '../metering/request-pace.ts';
import { workerClock } from '../platform/worker-clock.ts';
import { heldJson } from './answer/held-answer.ts';
import { query } from './request/request.ts';
import { auditQuery } from './request/schemas.ts';

export const showAudit: Handler = (c) =>
  show(c, (wanted) => callWorkspace(c, (object, caller) => object.audit(caller, wanted)));

/**
 * The same for the owner, whose route is not that of the workspace: a browser in which somebody is logged in there as a
 * viewer would be refused.
 */
export const showMachineAudit: Handler = async (c) => {
  const { name } = await listedMachine(c);
  requestPace.charge(askerOf(c.var.principal), { workspaces: 1 }, workerClock.now());
  return show(c, async (wanted) => {
    const answer = await c.env.WORKSPACE.getByName(name).audit(c.var.principal.caller, wanted);
    if (answer.ok) return answer.value;
    throw new ApiError(401, 'unauthorized', answer.why);
  });
};

function show(c: Context<App>, read: (wanted: AuditQuery) => Promise<AuditPage>): Promise<Response> {
  const { since = 0, before = null, session = null, limit } = query(c, auditQuery);
  const wanted = { since, before, session, limit };
  // A page may have hundreds of kilobytes, and its reader may never take them. [RL21]
  return heldJson(c, async () => {
    const page = await read(wanted);
    requestPace.charge(askerOf(c.var.principal), { auditEntries: page.entries.length }, workerClock.now());
    return JSON.stringify(page);
  });
}
