/** The built agent as installed, with its keeper or in one process, and the figures it reports. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalAgent, startLocalAgent } from '../../cli/local/local-agent.ts';
import { agentOf } from '../../test/support/kept-agent.ts';
import { until } from '../deadline.ts';
import { cpuMs } from '../measuring/process-cost.ts';
import type { ServerCost } from './contender.ts';
import { freePort } from './free-port.ts';

/** What `npm run build` makes; run.ts builds it first. */
const built = (file: 'main' | 'keeper') =>
  fileURLToPath(new URL(`../../dist/agent/${file}.js`, import.meta.url));

const POLL_MS = 20;

export interface AgentTarget {
  readonly relay: URL;
  readonly workspace: string;
  readonly token: string;
  /** Without a keeper, the agent owns the terminals itself. */
  readonly keeper: boolean;
}

export class AgentProcess implements AsyncDisposable {
  readonly #started: LocalAgent;
  /** The agent itself. */
  readonly pid: number;
  /** Null if there is none. */
  readonly keeperPid: number | null;
  readonly #folder: string;
  readonly #healthPort: number;

  private constructor(started: LocalAgent, pid: number, folder: string, healthPort: number) {
    this.#started = started;
    this.pid = pid;
    this.keeperPid = pid === started.pid ? null : started.pid;
    this.#folder = folder;
    this.#healthPort = healthPort;
  }

  static async start({ relay, workspace, token, keeper }: AgentTarget): Promise<AgentProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, token, { mode: 0o600 });
    const healthPort = await freePort();
    const started = startLocalAgent({
      relay,
      workspace,
      tokenFile,
      flags: ['--max-sessions', '1000', '--health-port', String(healthPort)],
      program: [process.execPath, built(keeper ? 'keeper' : 'main')],
      env: { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh' },
    });
    let pid: number | undefined = keeper ? undefined : started.pid;
    await until('an agent process', POLL_MS, async () => {
      pid ??= agentOf(started.pid);
      return pid !== undefined;
    });
    return new AgentProcess(started, pid ?? -1, folder, healthPort);
  }

  /** Agent and keeper. */
  get pids(): number[] {
    return this.keeperPid === null ? [this.pid] : [this.pid, this.keeperPid];
  }

  cost(): ServerCost {
    const { main, others } = cpuMs(this.pid);
    const keeper = this.keeperPid === null ? { main: 0, others: 0 } : cpuMs(this.keeperPid);
    return { moverMs: main + keeper.main, othersMs: others + keeper.others, relayMs: 0 };
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
    await this.#started.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
