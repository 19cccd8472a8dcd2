/**
 * Types a key into `cat` now and then and waits for its echo, in a separate thread: with two hundred streams in the
 * same event loop, it would measure the harness.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { CountingScreen } from '../support/flood-screens.ts';
import { HeadlessClient } from '../support/headless-client.ts';

export interface Typing {
  readonly relay: string;
  readonly workspace: string;
  readonly token: string;
  readonly forMs: number;
}

const SIZE = { cols: 80, rows: 24 };
const ECHO_EVERY_MS = 50;

/** How long each echo took, in milliseconds. */
export function echoes(typing: Typing): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: typing });
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}

async function type({ relay, workspace, token, forMs }: Typing): Promise<number[]> {
  using client = new HeadlessClient(new URL(relay), workspace, token);
  await client.online();
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

if (!isMainThread) parentPort?.postMessage(await type(workerData as Typing));
