/**
 * Many idle clients and agents, and what they do when the relay is killed: how often its objects were woken, and how
 * the reconnect attempts are spread. Clients use the library; agents are only their connection and their hello, which
 * is all that an idle agent sends.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { relayDial } from '../../node/relay-socket.ts';
import { systemClock } from '../../node/system-clock.ts';
import { Connection, type Dial } from '../../protocol/connection.ts';
import { PROTOCOL_VERSION } from '../../protocol/limits.ts';
import { randomness } from '../support/property.ts';
import { seededRandom } from '../support/seeded-random.ts';
import type { TestRelay } from '../support/test-relay.ts';

/** The seed of the delays whose spread is measured: the same in every run. */
const random = seededRandom(randomness().seed);

export interface HerdOptions {
  readonly clients: number;
  readonly agents: number;
  readonly idleMs: number;
  readonly outageMs: number;
}

export interface HerdReport {
  /** Messages and alarms that reached an object while everybody was idle; see `wakeUpsOf`. */
  readonly wakeUps: number;
  /**
   * When each reconnect attempt was made, in milliseconds after the relay was killed, as far as the machine allowed.
   */
  readonly tries: readonly number[];
  /** The scheduled delay of each first attempt, in milliseconds: their spread if every client had its own machine. */
  readonly firstWaits: readonly number[];
  /** From the return of the relay until everybody was connected. */
  readonly backMs: number;
}

/** The largest share of attempts within one tenth of a second. */
export function crowdedShare(tries: readonly number[]): number {
  const tenths = new Map<number, number>();
  for (const at of tries) tenths.set(Math.floor(at / 100), (tenths.get(Math.floor(at / 100)) ?? 0) + 1);
  return Math.max(0, ...tenths.values()) / Math.max(1, tries.length);
}

export async function runHerd(relay: TestRelay, options: HerdOptions): Promise<HerdReport> {
  const { clients, agents, idleMs, outageMs } = options;
  let killedAt = Number.POSITIVE_INFINITY;
  const tries: number[] = [];
  const firstWaits = new Map<string, number>();
  const waits: Waits = (who, retryAt) => {
    if (performance.now() < killedAt || firstWaits.has(who)) return;
    firstWaits.set(who, retryAt - systemClock.now());
  };
  const counting =
    (dial: Dial): Dial =>
    (events) => {
      if (performance.now() >= killedAt) tries.push(performance.now() - killedAt);
      return dial(events);
    };
  const members = [
    ...(await Promise.all(range(agents).map((i) => startAgent(relay, `herd-${i}`, counting, waits)))),
    ...(await Promise.all(
      range(clients).map((i) => startClient(relay, `herd-${i % agents}`, counting, waits)),
    )),
  ];
  await everybody(members);

  const wakeUps = await wakeUpsOf(relay, members.length, idleMs);

  killedAt = performance.now();
  await relay.kill();
  await sleep(outageMs);
  await relay.restart();
  const returnedAt = performance.now();
  const report = { wakeUps, tries: [...tries] };
  await everybody(members);
  const backMs = performance.now() - returnedAt;
  for (const member of members) member.leave();
  return { ...report, firstWaits: [...firstWaits.values()], backMs };
}

/**
 * Each connection is checked once, a minute after its traffic has ended (rule CN8); if connecting so many takes that
 * long, only now. Then nobody wakes: zero, or more than one check each could be.
 */
async function wakeUpsOf(relay: TestRelay, members: number, idleMs: number): Promise<number> {
  const received = async () => {
    const { messages, alarms } = await relay.counts();
    return messages + alarms;
  };
  for (let sum = 0; ; ) {
    const before = await received();
    await sleep(idleMs);
    const more = (await received()) - before;
    sum += more;
    if (more === 0) return 0;
    if (sum > members) return sum;
  }
}

interface Member {
  isBack(): boolean;
  leave(): void;
}

type Counting = (dial: Dial) => Dial;
/** The next attempt of `who` is then. */
type Waits = (who: string, retryAt: number) => void;

async function startAgent(
  relay: TestRelay,
  workspace: string,
  counting: Counting,
  waits: Waits,
): Promise<Member> {
  const token = await relay.token('agent', workspace);
  const epoch = randomUUID();
  const hello = { type: 'hello', version: PROTOCOL_VERSION, epoch, sessions: [], more: false };
  const connection: Connection = new Connection({
    dial: counting(relayDial(relay.url, `/ws/agent/${workspace}`, () => ({ ok: true, token }))),
    clock: systemClock,
    random: random.fraction,
    watched: () => false,
    renewable: true,
    stateChanged: (state) => {
      if (state.name === 'open') connection.send(JSON.stringify(hello));
      if (state.name === 'waiting') waits(epoch, state.retryAt);
    },
    received: () => {},
  });
  return { isBack: () => connection.state.name === 'open', leave: () => connection.close() };
}

async function startClient(
  relay: TestRelay,
  workspace: string,
  counting: Counting,
  waits: Waits,
): Promise<Member> {
  const token = await relay.token('operator', workspace);
  const instance = randomUUID();
  const client = new WorkspaceClient({
    dial: counting(relayDial(relay.url, `/ws/workspaces/${workspace}`, () => ({ ok: true, token }))),
    inflate: async (bytes) => bytes,
    clock: systemClock,
    random: random.fraction,
    watched: () => true,
    instance,
  });
  client.onChange(() => {
    if (client.state.name === 'waiting') waits(instance, client.state.retryAt);
  });
  return {
    isBack: () => client.state.name === 'live' && client.state.agent.state === 'online',
    leave: () => client.leave(),
  };
}

async function everybody(members: readonly Member[]): Promise<void> {
  while (!members.every((member) => member.isBack())) await sleep(20);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}
