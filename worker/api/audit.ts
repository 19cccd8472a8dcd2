/** The audit trail over HTTP: read by operators, changed by nobody. */
import type { Handler } from '../http.ts';
import { consult } from './consult.ts';
import { query } from './request.ts';
import { auditQuery } from './schemas.ts';

export const showAudit: Handler = async (c) => {
  const { since = 0, before = null, session = null, limit } = query(c, auditQuery);
  const wanted = { since, before, session, limit };
  return c.json(await consult(c, (object, caller) => object.audit(caller, wanted)));
};
