/** Sessions opened and closed, over and over: what is left of them in the agent, the system and the relay. */
import { readdirSync } from 'node:fs';
import { familyOf, openFiles } from '../support/process-table.ts';
import type { World } from '../support/world.ts';

export interface Left {
  readonly descriptors: number;
  readonly terminals: number;
  readonly processes: number;
  readonly rows: number;
}

const AT_ONCE = 5;
const SIZE = { cols: 80, rows: 24 };

/** Opens and closes this many; resolves with what there was before and after. */
export async function churn(world: World, count: number): Promise<{ before: Left; after: Left }> {
  const client = await world.client();
  const once = async () => {
    const { id } = await client.client.create({ ...SIZE, command: 'sh' });
    await client.client.close(id);
  };
  // The first ones load what is loaded on demand, threads of screens included.
  for (let i = 0; i < AT_ONCE; i++) await once();
  const before = await leftBy(world);
  for (let done = 0; done < count; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, once));
  return { before, after: await leftBy(world) };
}

async function leftBy(world: World): Promise<Left> {
  const files = openFiles(world.agent.pid);
  const [rows] = await world.relay.sql('SELECT count(*) AS n FROM sessions');
  return {
    descriptors: files.length,
    terminals: files.filter((file) => file === '/dev/ptmx' || /^\/dev\/(pts\/|ttys)/.test(file)).length,
    processes: familyOf(world.agent.pid).length,
    rows: Number(rows?.[0]?.n ?? Number.NaN),
  };
}

/** Terminals of the whole machine. */
export function systemTerminals(): number {
  return readdirSync('/dev/pts').length;
}
