/** The fleet's object, for handlers whose route only the owner or an invited machine may use. */
import type { Context } from 'hono';
import type { Fleet } from '../../fleet/fleet.ts';
import { FLEET_NAME } from '../../fleet/fleet-address.ts';
import type { ListedMachine } from '../../fleet/machine-table.ts';
import { NO_OWNER } from '../../gate/owner.ts';
import { ApiError } from '../api-error.ts';
import { gateSettings } from '../env.ts';
import type { App } from '../http.ts';

/** The gate admits nobody to these routes if there is no owner. */
export function fleetOf(c: Context<App>): { fleet: DurableObjectStub<Fleet>; owner: string } {
  const { owner } = gateSettings(c.env);
  if (c.env.FLEET === undefined || owner === null) throw new ApiError(404, 'not_found', NO_OWNER);
  return { fleet: c.env.FLEET.getByName(FLEET_NAME), owner };
}

/** What the fleet calls the code with which this request was sent. */
export function fleetCodeOf(c: Context<App>): string {
  const { fleetCode } = c.var.principal;
  if (fleetCode === undefined) throw new Error('invariant: this route takes codes of the fleet only');
  return fleetCode.id;
}

/** The machine in the path. A request never makes an object of a name that is not in the list. */
export async function listedMachine(c: Context<App>): Promise<ListedMachine> {
  const machine = await fleetOf(c).fleet.machine(c.req.param('machine') ?? '');
  if (machine === null) throw noMachine();
  return machine;
}

export const noMachine = () => new ApiError(404, 'not_found', 'There is no machine of this name.');
