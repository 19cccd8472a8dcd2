/** Serves the audit trail over HTTP. Operators can read it; nothing can change it. */
import { askerOf, callWorkspace, type Handler } from '../http/http.ts';
import { requestPace } from '../metering/request-pace.ts';
import { workerClock } from '../platform/worker-clock.ts';
import { heldJson } from './answer/held-answer.ts';
import { query } from './request/request.ts';
import { auditQuery } from './request/schemas.ts';

export const showAudit: Handler = async (c) => {
  const { since = 0, before = null, session = null, limit } = query(c, auditQuery);
  const wanted = { since, before, session, limit };
  // A page may have hundreds of kilobytes, and its reader may never take them. [RL21]
  return heldJson(c, async () => {
    const page = await callWorkspace(c, (object, caller) => object.audit(caller, wanted));
    requestPace.charge(askerOf(c.var.principal), { auditEntries: page.entries.length }, workerClock.now());
    return JSON.stringify(page);
  });
};
