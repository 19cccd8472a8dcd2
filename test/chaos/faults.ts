/**
 * The faults: what fails, for how long, and how it ends. Taken from the failure matrix of docs/evidence/reliability.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosProxy } from '../support/chaos-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { TestRelay } from '../support/test-relay.ts';
import type { World } from '../support/world.ts';
import type { Participant } from './participant.ts';

/** How long a silence lasts: mostly shorter than its detection takes, sometimes longer (13 s). */
export interface Pace {
  readonly silenceMs: readonly [least: number, most: number];
  readonly longSilenceMs: readonly [least: number, most: number];
  /** How often a fault is long or silent: both take a heartbeat's timeout to detect. */
  readonly longChance: number;
}

export interface Scene {
  readonly relay: TestRelay;
  readonly agentLeg: ChaosProxy;
  readonly world: Pick<World, 'freeze' | 'thaw' | 'killAgent'>;
  readonly random: SeededRandom;
  readonly pace: Pace;
}

/** Causes the fault, and resolves when the network and the programs are as before. */
export interface Fault {
  readonly kind: string;
  happen(): Promise<void>;
}

type LegKind = (leg: ChaosProxy, forMs: number) => Promise<void>;

const BRIEF_MS = [200, 1500] as const;

const QUICK: readonly (readonly [kind: string, act: LegKind, weight: number])[] = [
  ['cut', async (leg) => leg.cut(), 3],
  ['black hole, up', (leg, ms) => silence(leg, ['up'], ms), 1],
  ['black hole, down', (leg, ms) => silence(leg, ['down'], ms), 1],
  ['black hole, both ways', (leg, ms) => silence(leg, ['up', 'down'], ms), 1],
  ['half-open, relay not informed', async (leg) => leg.halfOpen('far'), 2],
  ['frames in single bytes', (leg, ms) => shaped(leg, { singleBytes: true }, ms), 1],
  ['slow link', (leg, ms) => shaped(leg, { latencyMs: 80, bytesPerSecond: 16_000 }, ms), 1],
];

const SLOW: readonly (readonly [kind: string, act: LegKind, weight: number])[] = [
  ['half-open, own end not informed', async (leg) => leg.halfOpen('near'), 2],
  ['long black hole, up', (leg, ms) => silence(leg, ['up'], ms), 1],
  ['long black hole, down', (leg, ms) => silence(leg, ['down'], ms), 1],
  ['long black hole, both ways', (leg, ms) => silence(leg, ['up', 'down'], ms), 1],
];

async function silence(leg: ChaosProxy, directions: readonly ('up' | 'down')[], ms: number): Promise<void> {
  for (const direction of directions) leg.hold(direction);
  await sleep(ms);
  leg.release();
}

async function shaped(leg: ChaosProxy, shape: Parameters<ChaosProxy['shape']>[0], ms: number): Promise<void> {
  leg.shape(shape);
  await sleep(ms);
  leg.shape({});
}

function legFault(who: string, leg: ChaosProxy, { random, pace }: Scene, isLong: boolean): Fault {
  const [kind, act] = random.weighted((isLong ? SLOW : QUICK).map((one) => [one, one[2]] as const));
  const ms = random.int(...(isLong ? pace.longSilenceMs : pace.silenceMs));
  return {
    kind: `${who}: ${kind}`,
    async happen() {
      await act(leg, ms);
    },
  };
}

/** A fault on this client's connection. A page may also be reloaded. */
export function clientFault(participant: Participant, scene: Scene, isLong: boolean): Fault {
  const { reload } = participant;
  if (reload !== undefined && scene.random.chance(0.3)) {
    return {
      kind: 'page: reloaded',
      async happen() {
        await reload.call(participant);
      },
    };
  }
  return legFault('client', participant.leg, scene, isLong);
}

/** Faults that can be selected alone (`--only`). */
export const DRILLS = {
  deploys: ({ relay, random }) => deployed(relay, `0.0.${random.int(1, 1_000_000)}`),
  agents: (scene) => agentKilled(scene),
  kills: ({ relay, random }) => relayKilled(relay, random.int(0, 2000)),
} satisfies Record<string, (scene: Scene) => Fault>;
export type Drill = keyof typeof DRILLS;

/** A fault for everybody at once. */
export function commonFault(scene: Scene): Fault {
  const { random, relay, pace } = scene;
  const isLong = random.chance(pace.longChance);
  return random.weighted<Fault>([
    [legFault('agent', scene.agentLeg, scene, isLong), 8],
    [agentKilled(scene), 8],
    [agentStopped(scene, random.int(...(isLong ? pace.longSilenceMs : BRIEF_MS))), 3],
    [relayKilled(relay, random.int(0, 2000)), 3],
    [objectReset(relay), 10 * pace.longChance],
    [deployed(relay, `0.0.${random.int(1, 1_000_000)}`), 3],
  ]);
}

/** Its keeper starts another. Without a keeper nothing happens, because all programs would end. */
function agentKilled({ world }: Scene): Fault {
  return {
    kind: 'agent: killed',
    async happen() {
      world.killAgent();
    },
  };
}

function agentStopped({ world }: Scene, forMs: number): Fault {
  return {
    kind: 'agent: stopped and continued',
    async happen() {
      world.freeze();
      await sleep(forMs);
      world.thaw();
    },
  };
}

function relayKilled(relay: TestRelay, awayMs: number): Fault {
  return {
    kind: 'relay: killed',
    async happen() {
      await relay.kill();
      await sleep(awayMs);
      await relay.restart();
    },
  };
}

function deployed(relay: TestRelay, version: string): Fault {
  return {
    kind: 'relay: deployed',
    async happen() {
      await relay.deploy(version);
    },
  };
}

/**
 * Stands for every eviction, and counts as long: workerd leaves the sockets open, and everybody has to detect it. It
 * hibernates an object on request only if it is idle, and lets nothing pass while it waits for that, so hibernation
 * has its own test (test/worker/workspace/hibernation.test.ts), between any two messages.
 */
function objectReset(relay: TestRelay): Fault {
  return {
    kind: 'relay: object reset',
    async happen() {
      await relay.reset();
    },
  };
}
