/** Many sessions that print all the time, each with several clients, and how long an echo takes meanwhile. */
import { cpuMs } from '../../bench/measuring/process-cost.ts';
import { CountingScreen } from '../support/flood-screens.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import { familyOf, listenerOn } from '../support/process-table.ts';
import type { World } from '../support/world.ts';
import { echoes } from './echo-typist.ts';

export interface BusyOptions {
  readonly sessions: number;
  readonly clients: number;
  readonly bytesPerSecond: number;
  readonly forMs: number;
}

export interface BusyReport {
  readonly echoesMs: readonly number[];
  /** Bytes that one client was shown, per second and session. */
  readonly shownPerSecond: number;
  readonly lostBytes: number;
  /** Of one processor, by part. */
  readonly shares: Readonly<Record<string, number>>;
}

const SIZE = { cols: 80, rows: 24 };
const TICKS_PER_SECOND = 10;

export async function runBusy(world: World, options: BusyOptions): Promise<BusyReport> {
  const clients: HeadlessClient[] = [];
  for (let i = 0; i < options.clients; i++) clients.push(await world.client());
  const [first] = clients;
  if (first === undefined) throw new Error('invariant: there is a client');
  const line = Math.max(1, options.bytesPerSecond / TICKS_PER_SECOND - 2);
  // A shell would start a `sleep` for every line, and five hundred processes a second are a load by themselves.
  const script = `$|=1; while (1) { print "x" x ${line}, "\\n"; select(undef, undef, undef, ${1 / TICKS_PER_SECOND}) }`;
  const screens: CountingScreen[] = [];
  const watched = [];
  for (let i = 0; i < options.sessions; i++) {
    const { id } = await first.client.create({ ...SIZE, command: 'perl', args: ['-e', script] });
    for (const client of clients) {
      const screen = new CountingScreen();
      screens.push(screen);
      watched.push(client.client.attach(id, SIZE, screen, { isNew: true }));
    }
  }
  const shown = () => screens.reduce((sum, { bytes }) => sum + bytes, 0);
  const [before, startedAt] = [shown(), performance.now()];
  const { relay } = world;
  const typing = {
    relay: relay.url.href,
    workspace: relay.workspace,
    token: await relay.token('operator'),
    forMs: options.forMs,
  };
  let echoesMs: readonly number[] = [];
  const shares = await sharesDuring(world, async () => {
    echoesMs = await echoes(typing);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    echoesMs,
    shares,
    shownPerSecond: (shown() - before) / seconds / screens.length,
    lostBytes: watched.reduce((sum, { lostBytes }) => sum + lostBytes, 0),
  };
}

/** The share of one processor that each part used during `act`. That of the programs is for all fifty together. */
async function sharesDuring(world: World, act: () => Promise<void>): Promise<BusyReport['shares']> {
  const relayPid = listenerOn(Number(world.relay.url.port));
  const programs = () => familyOf(world.agent.pid).filter(({ pid }) => pid !== world.agent.pid);
  const used = () => {
    const agent = cpuMs(world.agent.pid);
    const relay = cpuMs(relayPid);
    const harness = cpuMs(process.pid);
    return {
      agent: agent.main,
      screens: agent.others,
      relay: relay.main + relay.others,
      harness: harness.main + harness.others,
      programs: programs().reduce((sum, { pid }) => sum + total(pid), 0),
    };
  };
  const [before, startedAt] = [used(), performance.now()];
  await act();
  const [after, elapsedMs] = [used(), performance.now() - startedAt];
  const names = ['agent', 'screens', 'relay', 'harness', 'programs'] as const;
  return Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / elapsedMs]));
}

/** A program that has just ended costs nothing any more. */
function total(pid: number): number {
  try {
    const { main, others } = cpuMs(pid);
    return main + others;
  } catch {
    return 0;
  }
}
