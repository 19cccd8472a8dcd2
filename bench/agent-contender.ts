/** Our agent as it is installed, in a process of its own, dialling a relay that is played to it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalAgent, startLocalAgent } from '../cli/local-agent.ts';
import { within } from './deadline.ts';
import { ScriptedRelay } from './scripted-relay.ts';
import { SocketServer } from './socket-server.ts';
import type { Contender, Program, Terminal } from './terminal.ts';

/** What `npm run build` makes; run.ts builds it first. */
const built = fileURLToPath(new URL('../dist/agent/main.js', import.meta.url));

export class AgentContender implements Contender {
  readonly name = 'agent' as const;
  readonly relay: ScriptedRelay;
  readonly #agent: LocalAgent;
  readonly #server: SocketServer;
  readonly #folder: string;
  readonly #healthPort: number;

  private constructor(
    relay: ScriptedRelay,
    agent: LocalAgent,
    { server, folder, healthPort }: { server: SocketServer; folder: string; healthPort: number },
  ) {
    this.relay = relay;
    this.#agent = agent;
    this.#server = server;
    this.#folder = folder;
    this.#healthPort = healthPort;
  }

  /** `program` is another Node, or another build, to compare two. */
  static async start(
    program: readonly [string, string] = [process.execPath, built],
  ): Promise<AgentContender> {
    const server = await SocketServer.listen();
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'a-token-nobody-checks', { mode: 0o600 });
    const healthPort = await freePort();
    const flags = ['--max-sessions', '1000', '--health-port', String(healthPort)];
    const agent = startLocalAgent({
      relay: server.url,
      workspace: 'bench',
      tokenFile,
      flags,
      program,
    });
    const relay = new ScriptedRelay(await within('the agent dials', server.accept()));
    return new AgentContender(relay, agent, { server, folder, healthPort });
  }

  get pid(): number {
    return this.#agent.pid;
  }

  get frames(): number {
    return this.relay.frames;
  }

  async open(program: Program): Promise<Terminal> {
    return this.relay.attach(await this.relay.create(program));
  }

  /** One of the numbers the agent tells of itself. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#healthPort}/metrics`);
    const line = (await response.text()).split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.stop();
    await this.#server.close();
    await rm(this.#folder, { recursive: true });
  }
}

/** A port nobody has at this moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}
