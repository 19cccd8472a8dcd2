/** Sets up everything a story needs in one call: a real workerd, a real agent process, and clients on demand. */
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type LocalAgent, startLocalAgent } from '../../cli/local/local-agent.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { WorkspaceHealth } from '../../worker/workspace/reports.ts';
import { ApiClient } from './api-client.ts';
import { launchChromium } from './chromium.ts';
import { fetchOnce } from './fetch-once.ts';
import { HeadlessClient } from './headless-client.ts';
import { agentOf } from './kept-agent.ts';
import { sharedBrowser } from './shared-browser.ts';
import { readable } from './terminal-page.ts';
import { TestRelay } from './test-relay.ts';

/** One of the programs of the agent as it is installed; from source they would take three times as long to start. */
function built(file: 'main' | 'keeper') {
  return [process.execPath, fileURLToPath(new URL(`../../dist/agent/${file}.js`, import.meta.url))] as const;
}

/** The agent by itself, in one process. */
export const BUILT_AGENT = built('main');

/** The keeper, which starts the agent. `HOLDFAST_NO_KEEPER=1 npm test` runs every story with one process instead. */
export const BUILT_KEEPER = process.env.HOLDFAST_NO_KEEPER === undefined ? built('keeper') : BUILT_AGENT;

export interface WorldOptions {
  /** Flags of the agent. */
  readonly agentFlags?: readonly string[];
  readonly agentProgram?: readonly [program: string, ...args: string[]];
  /** Where agent and clients dial, if not the relay itself. */
  readonly legs?: { readonly agent: URL; readonly client: URL };
  readonly home?: string;
  /** The user that the agent runs as; only root may choose. */
  readonly agentUid?: number;
  readonly shell?: string;
}

export class World implements AsyncDisposable {
  readonly relay: TestRelay;
  readonly #dir: string;
  readonly #clients: HeadlessClient[] = [];
  readonly agentLogs: string[] = [];
  agent: LocalAgent;
  readonly #contexts: BrowserContext[] = [];
  #browser: Browser | undefined;

  readonly #options: WorldOptions;

  private constructor(relay: TestRelay, dir: string, options: WorldOptions) {
    this.#options = options;
    this.relay = relay;
    this.#dir = dir;
    this.agent = this.#spawnAgent();
  }

  static async open(options: WorldOptions = {}, relay?: TestRelay): Promise<World> {
    return World.#on(relay ?? (await TestRelay.onWorkerd()), options);
  }

  static async #on(relay: TestRelay, options: WorldOptions): Promise<World> {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-world-'));
    await writeFile(join(dir, 'token'), await relay.token('agent'), { mode: 0o600 });
    const { agentUid: uid } = options;
    if (uid !== undefined) for (const path of [dir, join(dir, 'token')]) await chown(path, uid, uid);
    return new World(relay, dir, options);
  }

  /** A client, once the agent is online; `via` is its own path to the relay, if it has one. */
  async client(role: ClientRole = 'operator', via?: URL): Promise<HeadlessClient> {
    const client = this.unattended(await this.relay.token(role), via);
    await client.online();
    return client;
  }

  /** The HTTP API, once the agent is online. */
  async api(role: ClientRole = 'operator'): Promise<ApiClient> {
    using _client = await this.client();
    return ApiClient.of(this.relay, role);
  }

  /** A client that is still connecting. */
  unattended(token: string, via?: URL): HeadlessClient {
    const address = via ?? this.#options.legs?.client ?? this.relay.url;
    const client = new HeadlessClient(address, this.relay.workspace, token);
    this.#clients.push(client);
    return client;
  }

  /** The page, logged in, in its own browser profile. */
  async page(role: ClientRole = 'operator'): Promise<Page> {
    const page = await (await this.browserContext()).newPage();
    await page.goto(readable(`${this.pageUrl}#token=${await this.relay.token(role)}`));
    return page;
  }

  get pageUrl(): string {
    return new URL(`/w/${this.relay.workspace}`, this.relay.url).href;
  }

  async browserContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await (await this.#launched()).newContext(options);
    this.#contexts.push(context);
    return context;
  }

  /** In a test run, the browser stays for the next world of the same process. Otherwise it closes with the world. */
  async #launched(): Promise<Browser> {
    if (process.env.VITEST !== undefined) return sharedBrowser();
    this.#browser ??= await launchChromium();
    return this.#browser;
  }

  /** Where the agent keeps its key. */
  get keyFile(): string {
    return join(this.#dir, 'agent-key');
  }

  /** A second agent for the same workspace, while the first runs. */
  startRival(): LocalAgent {
    return this.#spawnAgent();
  }

  /** The relay's health report for the workspace. */
  async health(): Promise<WorkspaceHealth> {
    const url = new URL(`/api/workspaces/${this.relay.workspace}/health`, this.relay.url);
    return (
      await fetchOnce(url, { headers: await this.relay.bearer('operator') })
    ).json() as Promise<WorkspaceHealth>;
  }

  async restartAgent(): Promise<void> {
    await this.agent.stop();
    this.agent = this.#spawnAgent();
  }

  /** Freezes the keeper and its agent, as when the machine is suspended. */
  freeze(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGCONT');
  }

  /** Kills the agent process alone. Its keeper starts another. */
  killAgent(): void {
    const agent = agentOf(this.agent.pid);
    if (agent !== undefined) process.kill(agent, 'SIGKILL');
  }

  /** The keeper comes first. Without one, there is only the agent. */
  #processes(): number[] {
    return [this.agent.pid, agentOf(this.agent.pid)].filter((pid) => pid !== undefined);
  }

  /** Kills the keeper and its agent without warning, and starts others. */
  async crashAgent(): Promise<void> {
    for (const pid of this.#processes()) process.kill(pid, 'SIGKILL');
    await this.agent.ended;
    this.agent = this.#spawnAgent();
  }

  #spawnAgent(): LocalAgent {
    return startLocalAgent({
      relay: this.#options.legs?.agent ?? this.relay.url,
      workspace: this.relay.workspace,
      tokenFile: join(this.#dir, 'token'),
      flags: this.#options.agentFlags ?? [],
      program: this.#options.agentProgram ?? BUILT_KEEPER,
      ...(this.#options.agentUid === undefined ? {} : { uid: this.#options.agentUid }),
      env: {
        PATH: process.env.PATH,
        // An agent's shells must not inherit its starter's environment; a test looks for this variable in them.
        CANARY: 'leaked',
        // Empty: what a machine's own shells read at their start may take any time.
        HOME: this.#options.home ?? this.#dir,
        SHELL: this.#options.shell ?? '/bin/sh',
      },
      log: (text) => this.agentLogs.push(text.trimEnd()),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client[Symbol.dispose]();
    for (const context of this.#contexts) await context.close();
    await this.#browser?.close();
    await this.agent.stop();
    await this.relay[Symbol.asyncDispose]();
    await rm(this.#dir, { recursive: true, force: true });
  }
}
