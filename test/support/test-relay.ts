/**
 * A real relay for a test: the built bundle on a free port, with its storage in a temporary directory, and what a
 * user does not have: its time moves when told, its SQL can be touched, and it says how often its objects were built
 * and called.
 *
 * `onWorkerd` runs it as `npm start` does. `start` runs it on Miniflare, whose objects can be evicted.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, type TokenRequest } from '../../cli/mint-token.ts';
import type { RelayOptions } from '../../cli/relay/relay.ts';
import type { Role } from '../../protocol/messages.ts';
import { MiniflareEngine, type RelayEngine, WorkerdEngine } from './relay-engines.ts';

export const SECRET = 'a secret for tests that has more than thirty-two bytes';
const WORKSPACE = 'test';
/** Longer than the longest soak. */
const DAY_S = 24 * 3600;

export interface Counts {
  /** How many workspace objects were constructed in this relay's life. */
  readonly constructions: number;
  /** Messages that reached an object; heartbeats do not. */
  readonly messages: number;
  readonly alarms: number;
  /** Region hints that objects were asked for with, in order. */
  readonly hints: readonly (string | null)[];
}

export interface TestRelayOptions {
  readonly settings?: RelayOptions['settings'];
  readonly secret?: string;
}

/**
 * Wraps the product's entry without a line of code in the product. Time is the platform's plus every jump made
 * so far; what happened before a jump keeps its time. An alarm that a jump has passed rings at once.
 */
const TEST_ENTRY = `
import app, { Workspace as Product } from './product.js';
const counts = { constructions: 0, messages: 0, alarms: 0, hints: [] };
const jumps = [];
let alarmAt = Infinity;
let failing = false;
const shifted = (real) => jumps.reduce((time, jump) => (jump.at <= real ? time + jump.ms : time), real);
const time = (ctx) => ({
  now: () => shifted(Date.now()),
  heartbeatAt(socket) {
    const at = ctx.getWebSocketAutoResponseTimestamp(socket);
    return at === null ? null : shifted(at.getTime());
  },
  setAlarm(at) {
    alarmAt = at;
    ctx.storage.setAlarm(at - (shifted(Date.now()) - Date.now()));
  },
  pause(ms) {
    ctx.blockConcurrencyWhile(() => new Promise((resolve) => setTimeout(resolve, ms))).catch(() => {});
  },
});
export class Workspace extends Product {
  constructor(ctx, env) {
    counts.constructions++;
    super(ctx, env, time(ctx));
  }
  webSocketMessage(socket, message) {
    counts.messages++;
    return super.webSocketMessage(socket, message);
  }
  alarm() {
    counts.alarms++;
    alarmAt = Infinity;
    return super.alarm();
  }
  ring() {
    this.ctx.storage.setAlarm(Date.now());
  }
  reset() {
    this.ctx.abort('forced by a test');
  }
  sql(statements) {
    return statements.map((statement) => this.ctx.storage.sql.exec(statement).toArray());
  }
}
function spied(env) {
  const getByName = (name, options) => {
    if (failing) throw new Error('forced by a test: ' + name);
    counts.hints.push(options?.locationHint ?? null);
    return env.WORKSPACE.getByName(name, options);
  };
  return { ...env, WORKSPACE: { getByName } };
}
export default {
  async fetch(request, env, ctx) {
    const url = new URL(request.url);
    switch (url.pathname) {
      case '/test/counts':
        return Response.json(counts);
      case '/test/advance':
        jumps.push({ at: Date.now(), ms: Number(url.searchParams.get('ms')) });
        if (alarmAt <= shifted(Date.now())) await env.WORKSPACE.getByName('${WORKSPACE}').ring();
        return new Response();
      case '/test/reset':
        await env.WORKSPACE.getByName('${WORKSPACE}').reset().catch(() => {});
        return new Response();
      case '/test/fail':
        failing = url.searchParams.get('on') === '1';
        return new Response();
      case '/test/sql':
        return Response.json(await env.WORKSPACE.getByName('${WORKSPACE}').sql(await request.json()));
      default:
        return app.fetch(request, spied(env), ctx);
    }
  },
};`;

export class TestRelay implements AsyncDisposable {
  readonly url: URL;
  readonly workspace = WORKSPACE;
  readonly stateDir: string;
  readonly logs: string[];
  readonly #engine: RelayEngine;

  private constructor(url: URL, engine: RelayEngine, stateDir: string, logs: string[]) {
    this.url = url;
    this.#engine = engine;
    this.stateDir = stateDir;
    this.logs = logs;
  }

  /** On Miniflare, for tests that evict objects. */
  static start(options: TestRelayOptions = {}): Promise<TestRelay> {
    return TestRelay.#on(MiniflareEngine, options);
  }

  /** On workerd with the configuration of the product. */
  static onWorkerd(options: TestRelayOptions = {}): Promise<TestRelay> {
    return TestRelay.#on(WorkerdEngine, options);
  }

  static async #on(
    Engine: typeof MiniflareEngine | typeof WorkerdEngine,
    { settings = {}, secret = SECRET }: TestRelayOptions,
  ): Promise<TestRelay> {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-relay-'));
    const logs: string[] = [];
    const log = (line: string) => logs.push(line);
    const engine = new Engine(TEST_ENTRY, { host: '127.0.0.1', stateDir, secret, settings, log });
    return new TestRelay(await engine.start(0), engine, stateDir, logs);
  }

  /** The process that is workerd. */
  get pid(): number {
    return this.#engine.pid;
  }

  /** Ends workerd without a chance to do anything about it, as a crash of its machine does. */
  async kill(): Promise<void> {
    await this.#engine.kill();
  }

  /** After `kill`: the same address, the same storage. */
  async restart(): Promise<void> {
    await this.#engine.start(Number(this.url.port));
  }

  /** Another version of the code takes over, as a deploy does: every socket ends, the storage stays. */
  async deploy(version: string): Promise<void> {
    await this.#engine.deploy(Number(this.url.port), version);
  }

  token(role: Role, workspace = WORKSPACE, lifetimeSeconds = DAY_S): Promise<string> {
    return this.mint({ role, workspace, lifetimeSeconds });
  }

  mint(request: Partial<TokenRequest> & { readonly role: Role }): Promise<string> {
    return mintToken({ workspace: WORKSPACE, lifetimeSeconds: DAY_S, ...request }, SECRET);
  }

  async bearer(role: Role, workspace = WORKSPACE): Promise<Record<string, string>> {
    return { Authorization: `Bearer ${await this.token(role, workspace)}` };
  }

  async constructions(): Promise<number> {
    return (await this.counts()).constructions;
  }

  async counts(): Promise<Counts> {
    return (await fetch(new URL('/test/counts', this.url))).json() as Promise<Counts>;
  }

  /** `hibernate` keeps the sockets, as an idle object does; `close` drops them, as a deploy does. */
  async evict(webSockets: 'hibernate' | 'close'): Promise<void> {
    await this.#engine.evict(WORKSPACE, webSockets);
  }

  /** Ends the object at once, with its sockets: an eviction waits for as long as the Worker itself holds one. */
  async reset(): Promise<void> {
    await fetch(new URL('/test/reset', this.url));
  }

  /** Moves the objects' time; an alarm that was due meanwhile rings. The gate's time stands still. */
  async advance(ms: number): Promise<void> {
    await fetch(new URL(`/test/advance?ms=${ms}`, this.url));
  }

  /** From now on, or no more, nothing can be asked of an object without a failure. */
  async fail(on: boolean): Promise<void> {
    await fetch(new URL(`/test/fail?on=${on ? 1 : 0}`, this.url));
  }

  /** Runs statements in the object's storage; the rows of each. */
  async sql(...statements: readonly string[]): Promise<Record<string, unknown>[][]> {
    const response = await fetch(new URL('/test/sql', this.url), {
      method: 'POST',
      body: JSON.stringify(statements),
    });
    return (await response.json()) as Record<string, unknown>[][];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.stop();
    await rm(this.stateDir, { recursive: true, force: true });
  }
}
