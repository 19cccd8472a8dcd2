/**
 * Where to place the object between browser and agent. It stays where it was created; people travel, machines do not.
 */
import { quantile } from '../measuring/statistics.ts';
import { Random } from './random.ts';

interface Place {
  readonly latitude: number;
  readonly longitude: number;
  /** Share of people, and of machines, in hundredths. */
  readonly people: number;
  readonly machines: number;
}

/** A city for each of the platform's location hints, and an estimate of how people and machines are distributed. */
const PLACES: Readonly<Record<string, Place>> = {
  wnam: { latitude: 45.6, longitude: -121.2, people: 14, machines: 20 },
  enam: { latitude: 39.0, longitude: -77.5, people: 22, machines: 34 },
  sam: { latitude: -23.5, longitude: -46.6, people: 6, machines: 3 },
  weur: { latitude: 50.1, longitude: 8.7, people: 24, machines: 26 },
  eeur: { latitude: 52.2, longitude: 21.0, people: 8, machines: 2 },
  apac: { latitude: 1.3, longitude: 103.8, people: 18, machines: 12 },
  oc: { latitude: -33.9, longitude: 151.2, people: 3, machines: 2 },
  afr: { latitude: -26.2, longitude: 28.0, people: 2, machines: 0 },
  me: { latitude: 25.2, longitude: 55.3, people: 3, machines: 1 },
};

const NAMES = Object.keys(PLACES);
const placeOf = (name: string): Place => {
  const place = PLACES[name];
  if (place === undefined) throw new Error(`invariant: there is no place ${name}`);
  return place;
};

/** The speed of light in glass, on cables 1.5 times as long as the distance. */
const KM_PER_MS = 200;
const DETOUR = 1.5;
/** From a person or a machine to the network's edge and back. */
const LAST_MILE_MS = 6;
const EARTH_RADIUS_KM = 6371;

/** There and back between two places, which may be the same. */
export function roundTripMs(from: string, to: string): number {
  return LAST_MILE_MS + (2 * DETOUR * distanceKm(placeOf(from), placeOf(to))) / KM_PER_MS;
}

function distanceKm(a: Place, b: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [latitudes, longitudes] = [radians(b.latitude - a.latitude), radians(b.longitude - a.longitude)];
  const half =
    Math.sin(latitudes / 2) ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(longitudes / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(half));
}

/** Where the object of a workspace is, by policy. */
export const POLICIES = {
  'next to the agent': ({ agent }: Workspace) => agent,
  'next to the first client': ({ visits }: Workspace) => visits[0] ?? 'enam',
  'next to the platform’s back end (enam)': () => 'enam',
} as const satisfies Readonly<Record<string, (workspace: Workspace) => string>>;
export type Policy = keyof typeof POLICIES;

interface Workspace {
  readonly agent: string;
  /** Where people, or the back end that made it, first and later came from. */
  readonly visits: readonly string[];
}

export interface PlacementOptions {
  readonly seed: number;
  readonly workspaces: number;
  /** How many machines are in their owner's own region. */
  readonly nearShare: number;
  /** How many visits come from elsewhere, such as a colleague or a trip. */
  readonly awayShare: number;
  readonly visits: number;
}

export interface PlacementResult {
  /** A key and its echo, without the time in the machines. */
  readonly echoP50Ms: number;
  readonly echoP95Ms: number;
  /** Of that, what the path through the object adds to the direct path. */
  readonly addedP50Ms: number;
  readonly addedP95Ms: number;
}

export function simulatePlacement(policy: Policy, options: PlacementOptions): PlacementResult {
  const random = new Random(options.seed);
  const [echoes, added]: [number[], number[]] = [[], []];
  for (let n = 0; n < options.workspaces; n++) {
    const workspace = populate(options, random);
    const object = POLICIES[policy](workspace);
    for (const browser of workspace.visits) {
      const direct = roundTripMs(browser, workspace.agent);
      const over = roundTripMs(browser, object) + roundTripMs(object, workspace.agent);
      echoes.push(over);
      added.push(over - direct);
    }
  }
  return {
    echoP50Ms: quantile(echoes, 0.5),
    echoP95Ms: quantile(echoes, 0.95),
    addedP50Ms: quantile(added, 0.5),
    addedP95Ms: quantile(added, 0.95),
  };
}

function populate({ nearShare, awayShare, visits }: PlacementOptions, random: Random): Workspace {
  const home = weighted(random, 'people');
  const agent = random.chance(nearShare) && placeOf(home).machines > 0 ? home : weighted(random, 'machines');
  return {
    agent,
    visits: Array.from({ length: visits }, () =>
      random.chance(awayShare) ? weighted(random, 'people') : home,
    ),
  };
}

function weighted(random: Random, by: 'people' | 'machines'): string {
  let left = random.next() * NAMES.reduce((sum, name) => sum + placeOf(name)[by], 0);
  for (const name of NAMES) {
    left -= placeOf(name)[by];
    if (left < 0) return name;
  }
  throw new Error('invariant: the shares add up');
}
