/**
 * An agent that is killed repeatedly while somebody types without a pause. Each shell stores its input in its own file,
 * and each typed word names the life of the agent that it was meant for: no shell may receive a word meant for another.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import { typeInto } from '../support/type-into.ts';
import type { World } from '../support/world.ts';

export interface Deaths {
  readonly deaths: number;
  /** Words that were typed, and those that a shell received. */
  readonly typed: number;
  readonly heard: number;
  /** Words that were received by another shell, twice, or out of order. */
  readonly violations: readonly string[];
}

const TYPE_EVERY_MS = 3;
/** How long a life lasts after the client is back: from a few words to a few hundred. */
const LIFE_MS = [20, 700] as const;

export async function runDeaths(
  world: World,
  dir: string,
  times: number,
  random: SeededRandom,
): Promise<Deaths> {
  const client = await world.client();
  const script = `stty raw -echo; echo ready; exec cat >> ${dir}/typed.$$`;
  const { session } = await client.open('sh', ['-c', script]);
  let typed = 0;
  const typing = setInterval(() => {
    // Lives are not compared by number: the client knows them by name.
    if (typeof session.epoch === 'string') typeInto(session, `${session.epoch}:${typed++} `);
  }, TYPE_EVERY_MS);
  // What has reached the state directory is restored; a crash loses the last moment.
  await sleep(1_500);
  for (let death = 0; death < times; death++) {
    const epoch = session.epoch;
    await sleep(random.int(...LIFE_MS));
    await world.crashAgent();
    await client.until(() => session.state.name === 'live' && session.epoch !== epoch);
  }
  clearInterval(typing);
  await client.until(() => session.unsentBytes === 0);
  const lives = shells(dir);
  return { deaths: times, typed, heard: lives.flat().length, violations: lives.flatMap(misheard) };
}

/** The words that each shell received. The last one of a killed shell may be incomplete. */
function shells(dir: string): string[][] {
  return readdirSync(dir)
    .filter((name) => name.startsWith('typed.'))
    .map((name) => readFileSync(join(dir, name), 'utf8').split(' ').slice(0, -1));
}

function misheard(words: readonly string[]): string[] {
  const parsed = words.map((word) => {
    const [epoch = '', number = ''] = word.split(':');
    return { epoch, number: Number(number) };
  });
  return parsed.flatMap(({ epoch, number }, i) => {
    const before = parsed[i - 1];
    if (before === undefined) return [];
    if (epoch !== before.epoch) return [`word ${number} was meant for another shell`];
    return number === before.number + 1 ? [] : [`word ${number} came after ${before.number}`];
  });
}
