/** The built agent in its own process, as installed, and the figures it reports. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalAgent, startLocalAgent } from '../../cli/local/local-agent.ts';
import { until } from '../deadline.ts';
import { cpuMs } from '../measuring/process-cost.ts';
import type { ServerCost } from './contender.ts';
import { freePort } from './free-port.ts';

/** What `npm run build` makes; run.ts builds it first. */
const built = fileURLToPath(new URL('../../dist/agent/main.js', import.meta.url));

const POLL_MS = 20;

export interface AgentTarget {
  readonly relay: URL;
  readonly workspace: string;
  readonly token: string;
}

export class AgentProcess implements AsyncDisposable {
  readonly #agent: LocalAgent;
  readonly #folder: string;
  readonly #healthPort: number;

  private constructor(agent: LocalAgent, folder: string, healthPort: number) {
    this.#agent = agent;
    this.#folder = folder;
    this.#healthPort = healthPort;
  }

  static async start({ relay, workspace, token }: AgentTarget): Promise<AgentProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, token, { mode: 0o600 });
    const healthPort = await freePort();
    const agent = startLocalAgent({
      relay,
      workspace,
      tokenFile,
      flags: ['--max-sessions', '1000', '--health-port', String(healthPort)],
      program: [process.execPath, built],
      env: { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh' },
    });
    return new AgentProcess(agent, folder, healthPort);
  }

  get pid(): number {
    return this.#agent.pid;
  }

  cost(): ServerCost {
    const { main, others } = cpuMs(this.pid);
    return { moverMs: main, othersMs: others, relayMs: 0 };
  }

  /** One of the metrics that the agent exports. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#healthPort}/metrics`);
    const line = (await response.text()).split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  }

  /** Resolves when its screens have parsed everything. */
  async caughtUp(): Promise<void> {
    await until('screens are up to date', POLL_MS, async () => {
      return (await this.metric('holdfast_screen_queue_bytes')) === 0;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
