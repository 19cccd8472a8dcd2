/**
 * The product as installed: the built relay on workerd, the built agent with its keeper (`direct`: without), real
 * shells, the client library. The relay counts its messages, as in the tests.
 */

import { relayDial } from '../../node/relay-socket.ts';
import { TestRelay } from '../../test/support/test-relay.ts';
import { cpuMs } from '../measuring/process-cost.ts';
import { PathProxy } from '../paths/path.ts';
import { AgentProcess } from './agent-process.ts';
import type { Contender, ContenderOptions, ServerCost } from './contender.ts';
import { HoldfastClient } from './holdfast-client.ts';
import type { Program, Terminal } from './terminal.ts';

type OurName = 'holdfast' | 'direct';

interface Parts {
  readonly relay: TestRelay;
  readonly agent: AgentProcess;
  /** Where clients dial. */
  readonly address: URL;
  readonly resources: AsyncDisposableStack;
}

export class Holdfast implements Contender {
  readonly name: OurName;
  readonly relay: TestRelay;
  readonly #parts: Parts;
  readonly #options: ContenderOptions;
  #client: HoldfastClient | undefined;

  private constructor(name: OurName, parts: Parts, options: ContenderOptions) {
    this.name = name;
    this.relay = parts.relay;
    this.#parts = parts;
    this.#options = options;
  }

  static async start(options: ContenderOptions = {}, name: OurName = 'holdfast'): Promise<Holdfast> {
    const resources = new AsyncDisposableStack();
    const relay = resources.use(await (options.evictable ? TestRelay.start() : TestRelay.onWorkerd()));
    const token = await relay.token('agent');
    const agent = resources.use(
      await AgentProcess.start({
        relay: relay.url,
        workspace: relay.workspace,
        token,
        keeper: name === 'holdfast',
      }),
    );
    const address =
      options.path === undefined ? relay.url : resources.use(await PathProxy.to(relay.url, options.path)).url;
    return new Holdfast(name, { relay, agent, address, resources }, options);
  }

  get agentPid(): number {
    return this.#parts.agent.pid;
  }

  /** Null if there is none. */
  get keeperPid(): number | null {
    return this.#parts.agent.keeperPid;
  }

  /** The processes on the machine whose shells these are. */
  get machinePids(): number[] {
    return this.#parts.agent.pids;
  }

  get relayPid(): number {
    return this.relay.pid;
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

  /** Another one, being prepared. */
  async dial(): Promise<HoldfastClient> {
    const token = await this.relay.token('operator');
    const path = `/ws/workspaces/${this.relay.workspace}`;
    const dial = relayDial(this.#parts.address, path, () => ({ ok: true, token }));
    return this.#parts.resources.use(new HoldfastClient(dial));
  }

  async open(program: Program): Promise<Terminal> {
    const client = await this.client();
    return (await client.watch(await client.create(program), true, this.#options.client)).terminal;
  }

  cost(): ServerCost {
    const { main, others } = cpuMs(this.relayPid);
    return { ...this.#parts.agent.cost(), relayMs: main + others };
  }

  async messages(): Promise<number> {
    return (await this.relay.counts()).messages;
  }

  /** One of the metrics that the agent exports. */
  metric(name: string): Promise<number> {
    return this.#parts.agent.metric(name);
  }

  caughtUp(): Promise<void> {
    return this.#parts.agent.caughtUp();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.resources.disposeAsync();
  }
}
