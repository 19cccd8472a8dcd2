/** Opens and closes sessions repeatedly, and checks what remains in the agent, the system and the relay. */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { familyOf, openFiles } from '../support/process-table.ts';
import type { World } from '../support/world.ts';

export interface Left {
  readonly descriptors: number;
  readonly terminals: number;
  readonly processes: number;
  readonly rows: number;
}

const AT_ONCE = 5;
/** Longer than a close takes on an idle machine; on a busy one the wait below continues. */
const LOOK_EVERY_MS = 200;
const SIZE = { cols: 80, rows: 24 };

/**
 * Opens and closes this many. The caller must wait for the rest: resources of a session are released a moment after
 * it is reported as closed, and files are opened and closed for other reasons too.
 */
export async function churn(
  world: World,
  count: number,
): Promise<{ before: Left; left: () => Promise<Left> }> {
  const client = await world.client();
  const once = async () => {
    const { id } = await client.client.create({ ...SIZE, command: 'sh' });
    await client.client.close(id);
  };
  // The first ones load what is loaded on demand, including screen threads.
  for (let i = 0; i < AT_ONCE; i++) await once();
  const before = await settled(() => leftBy(world));
  for (let done = 0; done < count; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, once));
  return { before, left: () => leftBy(world) };
}

/** What two checks in a row have in common: the first sessions may not be entirely gone at the first. */
async function settled(look: () => Promise<Left>): Promise<Left> {
  let last = await look();
  for (;;) {
    await sleep(LOOK_EVERY_MS);
    const next = await look();
    if (isDeepStrictEqual(next, last)) return next;
    last = next;
  }
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

/** What has increased, in words. */
export function grown(before: Left, now: Left): string[] {
  return (Object.keys(before) as (keyof Left)[])
    .filter((what) => !(now[what] <= before[what]))
    .map((what) => `${what}: ${now[what]} where there were ${before[what]}`);
}

/** Terminals of the whole machine. */
export function systemTerminals(): number {
  return readdirSync('/dev/pts').length;
}
