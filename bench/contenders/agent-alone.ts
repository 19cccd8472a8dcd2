/** The agent with a client directly at its socket: its cost without a relay, one hop away like the bare program. */
import { within } from '../deadline.ts';
import { AgentProcess } from './agent-process.ts';
import type { Contender, ContenderOptions, ServerCost } from './contender.ts';
import { HoldfastClient } from './holdfast-client.ts';
import { SocketServer } from './socket-server.ts';
import { straightTo } from './straight-link.ts';
import type { Program, Terminal } from './terminal.ts';

export class AgentAlone implements Contender {
  readonly name = 'agent';
  readonly #agent: AgentProcess;
  readonly #client: HoldfastClient;
  readonly #server: SocketServer;
  readonly #options: ContenderOptions;

  private constructor(
    server: SocketServer,
    agent: AgentProcess,
    client: HoldfastClient,
    options: ContenderOptions,
  ) {
    this.#server = server;
    this.#agent = agent;
    this.#client = client;
    this.#options = options;
  }

  static async start(options: ContenderOptions = {}): Promise<AgentAlone> {
    const server = await SocketServer.listen();
    const agent = await AgentProcess.start({
      relay: server.url,
      workspace: 'bench',
      token: 'none',
      keeper: false,
    });
    const socket = await within('the agent dials', server.accept());
    const client = new HoldfastClient(straightTo(socket));
    await client.online();
    return new AgentAlone(server, agent, client, options);
  }

  async open(program: Program): Promise<Terminal> {
    const id = await this.#client.create(program);
    return (await this.#client.watch(id, true, this.#options.client)).terminal;
  }

  cost(): ServerCost {
    return this.#agent.cost();
  }

  async messages(): Promise<null> {
    return null;
  }

  caughtUp(): Promise<void> {
    return this.#agent.caughtUp();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    await this.#agent[Symbol.asyncDispose]();
    await this.#server.close();
  }
}
