/** The audit trail over HTTP: read by operators, changed by nobody. */
import type { Handler } from '../http.ts';
import { ownerOf } from '../owner.ts';
import { requestPace } from '../request-pace.ts';
import { consult } from './consult.ts';
import { query } from './request.ts';
import { auditQuery } from './schemas.ts';
import { workerClock } from './worker-clock.ts';

export const showAudit: Handler = async (c) => {
  const { since = 0, before = null, session = null, limit } = query(c, auditQuery);
  const wanted = { since, before, session, limit };
  const page = await consult(c, (object, caller) => object.audit(caller, wanted));
  requestPace.charge(
    ownerOf(c.var.principal.caller),
    { auditEntries: page.entries.length },
    workerClock.now(),
  );
  return c.json(page);
};
