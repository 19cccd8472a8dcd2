/** The socket on which a page of the owner learns that the list of machines has changed. Rule FL6. */
import { EXPIRES_HEADER } from '../../fleet/fleet-address.ts';
import { isUpgrade } from '../../platform/is-upgrade.ts';
import { failure, type Handler } from '../http.ts';
import { fleetOf } from './fleet-object.ts';

export const watchMachines: Handler = (c) => {
  if (!isUpgrade(c.req.raw))
    return failure(c, 426, 'upgrade_required', 'This address takes WebSocket connections only.');
  const { expiresAt } = c.var.principal.caller.credential;
  // Built from scratch: nothing from the caller reaches the object except what the gate has read.
  const headers = { Upgrade: 'websocket', [EXPIRES_HEADER]: String(expiresAt) };
  return fleetOf(c).fleet.fetch(new Request(new URL('/', c.req.url), { headers }));
};
