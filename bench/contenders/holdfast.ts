/**
 * The product as it is installed: the built relay on workerd, the built agent in a process of its own, real
 * shells, the client library. The relay counts its messages and can be put to sleep, as in the tests.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalAgent, startLocalAgent } from '../../cli/local-agent.ts';
import { TestRelay } from '../../test/support/test-relay.ts';
import { cpuMs, workerdStartedBy } from '../measuring/process-cost.ts';
import { PathProxy } from '../paths/path.ts';
import type { Contender, ContenderOptions, ServerCost } from './contender.ts';
import { freePort } from './free-port.ts';
import { HoldfastClient } from './holdfast-client.ts';
import type { Program, Terminal } from './terminal.ts';

/** What `npm run build` makes; run.ts builds it first. */
const built = fileURLToPath(new URL('../../dist/agent/main.js', import.meta.url));

interface Parts {
  readonly relay: TestRelay;
  readonly relayPid: number;
  readonly agent: LocalAgent;
  readonly healthPort: number;
  /** Where clients dial. */
  readonly address: URL;
  readonly resources: AsyncDisposableStack;
}

export class Holdfast implements Contender {
  readonly name = 'holdfast';
  readonly relay: TestRelay;
  readonly #parts: Parts;
  readonly #options: ContenderOptions;
  #client: HoldfastClient | undefined;

  private constructor(parts: Parts, options: ContenderOptions) {
    this.relay = parts.relay;
    this.#parts = parts;
    this.#options = options;
  }

  static async start(options: ContenderOptions = {}): Promise<Holdfast> {
    const resources = new AsyncDisposableStack();
    const [relay, relayPid] = await workerdStartedBy(() => TestRelay.start());
    resources.use(relay);
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, await relay.token('agent'), { mode: 0o600 });
    const healthPort = await freePort();
    const agent = startLocalAgent({
      relay: relay.url,
      workspace: relay.workspace,
      tokenFile,
      flags: ['--max-sessions', '1000', '--health-port', String(healthPort)],
      program: [process.execPath, built],
      env: { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh' },
    });
    resources.defer(() => agent.stop());
    const address =
      options.path === undefined ? relay.url : resources.use(await PathProxy.to(relay.url, options.path)).url;
    return new Holdfast({ relay, relayPid, agent, healthPort, address, resources }, options);
  }

  get agentPid(): number {
    return this.#parts.agent.pid;
  }

  get relayPid(): number {
    return this.#parts.relayPid;
  }

  /** The client that `open` uses. */
  async client(): Promise<HoldfastClient> {
    this.#client ??= await this.newClient();
    return this.#client;
  }

  /** Another one, online. */
  async newClient(): Promise<HoldfastClient> {
    const client = await this.dial();
    await client.online();
    return client;
  }

  /** Another one, on its way. */
  async dial(): Promise<HoldfastClient> {
    const token = await this.relay.token('operator');
    return this.#parts.resources.use(new HoldfastClient(this.#parts.address, this.relay.workspace, token));
  }

  async open(program: Program): Promise<Terminal> {
    const client = await this.client();
    return (await client.watch(await client.create(program), true, this.#options.client)).terminal;
  }

  cost(): ServerCost {
    const agent = cpuMs(this.agentPid);
    const relay = cpuMs(this.relayPid);
    return { moverMs: agent.main, othersMs: agent.others, relayMs: relay.main + relay.others };
  }

  async messages(): Promise<number> {
    return (await this.relay.counts()).messages;
  }

  /** One of the numbers the agent tells of itself. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#parts.healthPort}/metrics`);
    const line = (await response.text()).split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.resources.disposeAsync();
  }
}
