/** node-pty and `ws` alone: a terminal one hop away. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { within } from '../deadline.ts';
import { cpuMs } from '../measuring/process-cost.ts';
import { startBareTerminal } from './bare-terminal.ts';
import type { Contender, ContenderOptions, ServerCost } from './contender.ts';
import { SocketServer } from './socket-server.ts';
import type { Program, Terminal } from './terminal.ts';

const program = fileURLToPath(new URL('./bare-program.ts', import.meta.url));

/** The bare program dials `address`; it ends when its socket does. */
export function startBareProgram(address: string, windowBytes = 0): ChildProcess {
  return spawn(process.execPath, [program, address, String(windowBytes)], { stdio: 'inherit' });
}

export function bareCost({ pid }: ChildProcess): ServerCost {
  const { main, others } = cpuMs(pid ?? -1);
  return { moverMs: main, othersMs: others, relayMs: 0 };
}

export class BareWs implements Contender {
  readonly name = 'ws';
  readonly #server: SocketServer;
  readonly #child: ChildProcess;
  readonly #options: ContenderOptions;

  private constructor(server: SocketServer, options: ContenderOptions) {
    this.#server = server;
    this.#options = options;
    this.#child = startBareProgram(server.url.href.replace('http', 'ws'), options.windowBytes);
  }

  static async start(options: ContenderOptions = {}): Promise<BareWs> {
    return new BareWs(await SocketServer.listen(), options);
  }

  async open(what: Program): Promise<Terminal> {
    const socket = await within('the bare program dials', this.#server.accept());
    return startBareTerminal(socket, what, this.#options);
  }

  cost(): ServerCost {
    return bareCost(this.#child);
  }

  async messages(): Promise<null> {
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    await this.#server.close();
    await ended;
  }
}
