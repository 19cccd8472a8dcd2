/** Contenders that run the same program in alternating rounds, so that other load affects all equally. */
import type { Contender, ContenderName, ContenderOptions } from '../contenders/contender.ts';
import { startable, startContender } from '../contenders/start.ts';
import type { Program, Terminal } from '../contenders/terminal.ts';

export interface Lane {
  readonly contender: Contender;
  readonly terminal: Terminal;
}

/** Those of `names` that this machine has, each with `program` in a terminal. They end with `resources`. */
export async function openLanes(
  resources: AsyncDisposableStack,
  names: readonly ContenderName[],
  program: Program,
  options: ContenderOptions = {},
): Promise<Lane[]> {
  const lanes: Lane[] = [];
  for (const name of startable(names)) {
    const contender = resources.use(await startContender(name, options));
    lanes.push({ contender, terminal: await contender.open(program) });
  }
  return lanes;
}

/**
 * Await it before `resources` end. Returns the samples of each lane, by contender: `rounds` of them, in an order that
 * alternates.
 */
export async function takeTurns<S>(
  lanes: readonly Lane[],
  rounds: number,
  sample: (lane: Lane, round: number) => Promise<S>,
): Promise<Map<ContenderName, S[]>> {
  const samples = new Map<ContenderName, S[]>(lanes.map(({ contender }) => [contender.name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
      samples.get(lane.contender.name)?.push(await named(lane.contender.name, sample(lane, round)));
    }
  }
  return samples;
}

/** Names the contender that failed. */
export async function named<S>(name: ContenderName, sample: Promise<S>): Promise<S> {
  try {
    return await sample;
  } catch (cause) {
    throw new Error(`${name}: ${(cause as Error).message}`, { cause });
  }
}
