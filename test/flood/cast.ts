/** The clients of the long flood: a fast one, a slow one, a stuck one, and another that types. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachedSession } from '../../client/attached-session.ts';
import { CountingScreen, StallingScreen } from '../support/flood-screens.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import type { TerminalScreen } from '../support/terminal-screen.ts';
import { typeInto } from '../support/type-into.ts';

export const SIZE = { cols: 80, rows: 24 };
const ECHO_EVERY_MS = 50;
const PROMPT = '$ ';
const ESC = '\x1b';
const SEQUENCES = new RegExp(String.raw`${ESC}\[[\d;?]*[ -~]`, 'g');

export class Flood {
  readonly id: string;
  readonly counted: CountingScreen;
  readonly session: AttachedSession;

  private constructor(id: string, counted: CountingScreen, session: AttachedSession) {
    this.id = id;
    this.counted = counted;
    this.session = session;
  }

  /** A shell with a prompt, and a client that takes everything. */
  static async open(fast: HeadlessClient): Promise<Flood> {
    const { id } = await fast.client.create({ ...SIZE, command: 'sh', env: { PS1: PROMPT } });
    const counted = new CountingScreen();
    const flood = new Flood(id, counted, fast.client.attach(id, SIZE, counted, { isNew: true }));
    await flood.isAtPrompt();
    return flood;
  }

  async start(): Promise<void> {
    const { bytes } = this.counted;
    typeInto(this.session, 'yes\n');
    await this.counted.until(() => this.counted.bytes > bytes + 100_000);
  }

  /** Also if a snapshot showed that, which ends with the position of the cursor. */
  async isAtPrompt(): Promise<void> {
    await this.counted.until(() =>
      this.counted.tail.replaceAll(SEQUENCES, '').trimEnd().endsWith(PROMPT.trimEnd()),
    );
  }

  /** Bytes per millisecond that reach the fast one within `ms`. */
  async rate(ms: number): Promise<number> {
    const [bytes, startedAt] = [this.counted.bytes, performance.now()];
    await sleep(ms);
    return (this.counted.bytes - bytes) / (performance.now() - startedAt);
  }
}

/** The two that do not keep up. They attach and leave, so that the fast one can be measured with and without them. */
export class Laggards {
  readonly #slow: HeadlessClient;
  readonly #stuck: HeadlessClient;
  readonly #id: string;
  slow: { session: AttachedSession; screen: TerminalScreen } | undefined;
  stuck: { session: AttachedSession; screen: StallingScreen } | undefined;
  /** The maximum that ever waited in the stuck one. */
  mostUnparsedBytes = 0;

  constructor(slow: HeadlessClient, stuck: HeadlessClient, id: string) {
    this.#slow = slow;
    this.#stuck = stuck;
    this.#id = id;
  }

  /** As a page attaches: the screen first, the history above it later. */
  async join(): Promise<void> {
    const slow = this.#slow.attach(this.#id, { history: 'later' });
    const screen = new StallingScreen(SIZE);
    const session = this.#stuck.client.attach(this.#id, SIZE, screen, { history: 'later' });
    this.slow = slow;
    this.stuck = { session, screen };
    await this.#slow.until(() => slow.session.state.name === 'live');
    await this.#stuck.until(() => session.state.name === 'live');
    screen.stall();
  }

  leave(): void {
    this.mostUnparsedBytes = Math.max(this.mostUnparsedBytes, this.stuck?.screen.unparsedBytes ?? 0);
    for (const client of [this.#slow, this.#stuck]) client.client.detach(this.#id);
  }
}

/** Another client in another session, typing one key after the other; how long each echo took. */
export async function echoes(client: HeadlessClient, isOver: () => boolean): Promise<number[]> {
  const { id } = await client.client.create({
    ...SIZE,
    command: 'sh',
    args: ['-c', 'stty raw -echo; echo ready; exec cat'],
  });
  const counted = new CountingScreen();
  const session = client.client.attach(id, SIZE, counted, { isNew: true });
  await counted.until(() => counted.tail.includes('ready'));
  const took: number[] = [];
  while (!isOver()) {
    const [bytes, typedAt] = [counted.bytes, performance.now()];
    typeInto(session, 'x');
    await counted.until(() => counted.bytes > bytes);
    took.push(performance.now() - typedAt);
    await sleep(ECHO_EVERY_MS);
  }
  return took;
}
