/**
 * A real relay for a test: the built bundle on a free port, with its storage in a temporary directory. A test can also
 * do what a user cannot: advance its time, run SQL in its storage, and count how often its objects were constructed and
 * called.
 *
 * `onWorkerd` runs it as `npm start` does. `start` runs it on Miniflare, whose objects can be evicted.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, type TokenRequest } from '../../cli/relay/mint-token.ts';
import type { RelayOptions } from '../../cli/relay/relay.ts';
import type { Role } from '../../protocol/roles.ts';
import type { MachineReport } from '../../worker/fleet/machine-report.ts';
import { fetchOnce } from './fetch-once.ts';
import { MiniflareEngine, type RelayEngine, WorkerdEngine } from './relay-engines.ts';
import { TEST_ENTRY } from './test-entry.ts';

export const SECRET = 'a secret for tests that has more than thirty-two bytes';
const WORKSPACE = 'test';
/** Longer than the longest soak test. */
const DAY_S = 24 * 3600;

export interface Counts {
  /** How many workspace objects this relay has constructed. */
  readonly constructions: number;
  /** Sockets that were opened to objects, by machines, clients, and the Worker for HTTP requests. */
  readonly sockets: number;
  /** Messages that reached an object; heartbeats do not. */
  readonly messages: number;
  readonly alarms: number;
  /** The region hints with which objects were requested, in order. */
  readonly hints: readonly (string | null)[];
}

interface Running {
  readonly url: URL;
  readonly engine: RelayEngine;
  readonly stateDir: string;
  readonly logs: string[];
}

export interface TestRelayOptions {
  readonly settings?: RelayOptions['settings'];
  /** On workerd only. */
  readonly certificates?: RelayOptions['certificates'];
  readonly secret?: string;
}

export class TestRelay implements AsyncDisposable {
  readonly url: URL;
  readonly workspace: string;
  readonly stateDir: string;
  readonly logs: string[];
  readonly #engine: RelayEngine;
  /** Null for the relay itself, which is stopped on its own and not with its workspaces. */
  readonly #host: TestRelay | null;
  #workspaces = 0;

  private constructor(
    { url, engine, stateDir, logs }: Running,
    workspace = WORKSPACE,
    host: TestRelay | null = null,
  ) {
    this.url = url;
    this.#engine = engine;
    this.stateDir = stateDir;
    this.logs = logs;
    this.workspace = workspace;
    this.#host = host;
  }

  /** On Miniflare, for tests that evict objects. */
  static start(options: TestRelayOptions = {}): Promise<TestRelay> {
    return TestRelay.#on(MiniflareEngine, options);
  }

  /** On workerd, with the product's configuration. */
  static onWorkerd(options: TestRelayOptions = {}): Promise<TestRelay> {
    return TestRelay.#on(WorkerdEngine, options);
  }

  static async #on(
    Engine: typeof MiniflareEngine | typeof WorkerdEngine,
    { settings = {}, certificates, secret = SECRET }: TestRelayOptions,
  ): Promise<TestRelay> {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-relay-'));
    const logs: string[] = [];
    const log = (line: string) => logs.push(line);
    const options = { host: '127.0.0.1', stateDir, secret, settings, log };
    const engine = new Engine(
      TEST_ENTRY,
      certificates === undefined ? options : { ...options, certificates },
    );
    return new TestRelay({ url: await engine.start(0), engine, stateDir, logs });
  }

  /**
   * A new workspace on the same relay, for one of several tests: its object, time and counts are its own. A relay takes
   * a second to start. A test that kills, deploys or floods a relay needs its own.
   */
  another(): TestRelay {
    const { url, stateDir, logs } = this;
    this.#workspaces++;
    const running = { url, engine: this.#engine, stateDir, logs };
    return new TestRelay(running, `${WORKSPACE}-${this.#workspaces}`, this);
  }

  /** The pid of workerd. */
  get pid(): number {
    return this.#engine.pid;
  }

  /** Kills workerd without warning, as a crash of its machine does. */
  async kill(): Promise<void> {
    await this.#engine.kill();
  }

  /** Starts the relay again after `kill`, with the same address and storage. */
  async restart(): Promise<void> {
    await this.#engine.start(Number(this.url.port));
  }

  /** Replaces the code with another version, as a deploy does: every socket ends, the storage stays. */
  async deploy(version: string): Promise<void> {
    await this.#engine.deploy(Number(this.url.port), version);
  }

  token(role: Role, workspace = this.workspace, lifetimeSeconds = DAY_S): Promise<string> {
    return this.mint({ role, workspace, lifetimeSeconds });
  }

  mint(request: Partial<TokenRequest> & { readonly role: Role }): Promise<string> {
    return mintToken({ workspace: this.workspace, lifetimeSeconds: DAY_S, ...request }, SECRET);
  }

  async bearer(role: Role, workspace = this.workspace): Promise<Record<string, string>> {
    return { Authorization: `Bearer ${await this.token(role, workspace)}` };
  }

  async constructions(): Promise<number> {
    return (await this.counts()).constructions;
  }

  /** The counts of this workspace; for the relay itself, those of all workspaces. */
  async counts(): Promise<Counts> {
    const path = this.#host === null ? '/test/counts' : this.#test('counts').href;
    return (await fetchOnce(new URL(path, this.url))).json() as Promise<Counts>;
  }

  /** Of how many sockets the object was told that they ended. Not in `counts`: it is told some time later. */
  async ends(): Promise<number> {
    return (await fetchOnce(this.#test('ends'))).json() as Promise<number>;
  }

  #test(what: string, more = ''): URL {
    return new URL(`/test/${what}?workspace=${this.workspace}${more}`, this.url);
  }

  /** `hibernate` keeps the sockets, as an idle object does; `close` drops them, as a deploy does. */
  async evict(webSockets: 'hibernate' | 'close'): Promise<void> {
    await this.#engine.evict(this.workspace, webSockets);
  }

  /** Ends the object and its sockets at once. An eviction would wait as long as the Worker itself holds one. */
  async reset(): Promise<void> {
    await fetchOnce(this.#test('reset'));
  }

  /** Advances the object's time; an alarm that has become due fires. The gate's time stands still. */
  async advance(ms: number): Promise<void> {
    await fetchOnce(this.#test('advance', `&ms=${ms}`));
  }

  /** Makes every request to the object fail, or stops that. */
  async fail(on: boolean): Promise<void> {
    await fetchOnce(this.#test('fail', `&on=${on ? 1 : 0}`));
  }

  /** Makes every report to the fleet fail, or stops that. */
  async failFleet(on: boolean): Promise<void> {
    await fetchOnce(new URL(`/test/fleet?failing=${on ? 1 : 0}`, this.url));
  }

  /** The fleet's object sleeps; its sockets stay open. On Miniflare only. */
  async evictFleet(): Promise<void> {
    await this.#engine.evict('fleet', 'hibernate', 'Fleet');
  }

  /** Tells the fleet what workspaces would tell it, by their names. */
  async tellFleet(reports: Readonly<Record<string, MachineReport>>): Promise<void> {
    const body = JSON.stringify(reports);
    await fetchOnce(new URL('/test/fleet', this.url), { method: 'POST', body });
  }

  /** What this workspace has told the fleet, taken or not; and how often the fleet's object was constructed. */
  async fleet(): Promise<{ readonly constructions: number; readonly reports: readonly MachineReport[] }> {
    const answer = await fetchOnce(new URL('/test/fleet', this.url));
    const { constructions, reports } = (await answer.json()) as {
      readonly constructions: number;
      readonly reports: readonly (readonly [string, number, MachineReport])[];
    };
    const own = reports.filter(([name]) => name === this.workspace).map(([, , report]) => report);
    return { constructions, reports: own };
  }

  /** Runs statements in the object's storage; returns the rows of each. */
  async sql(...statements: readonly string[]): Promise<Record<string, unknown>[][]> {
    const response = await fetchOnce(this.#test('sql'), {
      method: 'POST',
      body: JSON.stringify(statements),
    });
    return (await response.json()) as Record<string, unknown>[][];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#host !== null) return;
    await this.#engine.stop();
    await rm(this.stateDir, { recursive: true, force: true });
  }
}
