/** Many sessions that print all the time, each watched by several clients, and how long an echo takes meanwhile. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CountingScreen } from '../support/flood-screens.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import type { World } from '../support/world.ts';

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
}

const SIZE = { cols: 80, rows: 24 };
const TICKS_PER_SECOND = 10;
const ECHO_EVERY_MS = 50;

export async function runBusy(world: World, options: BusyOptions): Promise<BusyReport> {
  const clients: HeadlessClient[] = [];
  for (let i = 0; i < options.clients; i++) clients.push(await world.client());
  const [first] = clients;
  if (first === undefined) throw new Error('invariant: there is a client');
  const line = Math.max(1, options.bytesPerSecond / TICKS_PER_SECOND - 2);
  // A shell would start a `sleep` for every line, and five hundred programs a second are a load of their own.
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
  const echoesMs = await echoes(first, options.forMs);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    echoesMs,
    shownPerSecond: (shown() - before) / seconds / screens.length,
    lostBytes: watched.reduce((sum, { lostBytes }) => sum + lostBytes, 0),
  };
}

/** A session of its own, in which `cat` gives back each key. */
async function echoes(client: HeadlessClient, forMs: number): Promise<number[]> {
  const { id } = await client.client.create({
    ...SIZE,
    name: randomUUID(),
    command: 'sh',
    args: ['-c', 'stty raw -echo; echo ready; exec cat'],
  });
  const screen = new CountingScreen();
  const session = client.client.attach(id, SIZE, screen, { isNew: true });
  await screen.until(() => screen.tail.includes('ready'));
  const times: number[] = [];
  for (const endsAt = performance.now() + forMs; performance.now() < endsAt; ) {
    const [bytes, typedAt] = [screen.bytes, performance.now()];
    session.type(Uint8Array.of(120));
    await screen.until(() => screen.bytes > bytes);
    times.push(performance.now() - typedAt);
    await sleep(ECHO_EVERY_MS);
  }
  return times;
}
