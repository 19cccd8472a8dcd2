/** ttyd, if it is installed: a terminal one hop away by a C program that keeps nothing, with or without tmux. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { until, within } from '../deadline.ts';
import { cpuMs } from '../measuring/process-cost.ts';
import { PathProxy } from '../paths/path.ts';
import { clientSide, SIZE } from './client-side.ts';
import type { Contender, ContenderOptions, ServerCost } from './contender.ts';
import { freePort } from './free-port.ts';
import { type Program, Terminal } from './terminal.ts';

/** The first byte of a message in both directions: input, and output. */
const DATA = '0'.charCodeAt(0);

export function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export class Ttyd implements Contender {
  readonly name: 'ttyd' | 'ttyd+tmux';
  readonly #options: ContenderOptions;
  readonly #resources = new AsyncDisposableStack();
  #server: ChildProcess | undefined;

  private constructor(name: 'ttyd' | 'ttyd+tmux', options: ContenderOptions) {
    this.name = name;
    this.#options = options;
  }

  static async start(name: 'ttyd' | 'ttyd+tmux', options: ContenderOptions = {}): Promise<Ttyd> {
    return new Ttyd(name, options);
  }

  /** It serves one command, so it is started with it. */
  async open({ command, args }: Program): Promise<Terminal> {
    const port = await freePort();
    const socketName = `holdfast-bench-${process.pid}-${port}`;
    const tmux =
      this.name === 'ttyd' ? [] : ['tmux', '-L', socketName, '-f', '/dev/null', 'new', '-s', 'bench'];
    const flags = ['-i', '127.0.0.1', '-p', String(port), '-W', '-t', 'rendererType=dom'];
    const server = spawn('ttyd', [...flags, ...tmux, command, ...args], { stdio: 'ignore' });
    this.#server = server;
    this.#resources.defer(async () => {
      if (this.name === 'ttyd+tmux') execFileSync('tmux', ['-L', socketName, 'kill-server']);
      server.kill('SIGKILL');
    });
    await until('ttyd listens', 10, () => accepts(port));
    const origin = new URL(`http://127.0.0.1:${port}`);
    const { path } = this.#options;
    const address = path === undefined ? origin : this.#resources.use(await PathProxy.to(origin, path)).url;
    return this.#dial(address);
  }

  cost(): ServerCost {
    const used = cpuMs(this.#server?.pid ?? -1);
    return { moverMs: used.main, othersMs: used.others, relayMs: 0 };
  }

  async messages(): Promise<null> {
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  async #dial(address: URL): Promise<Terminal> {
    const url = new URL('/ws', address);
    url.protocol = 'ws:';
    const socket = new WebSocket(url, 'tty', { perMessageDeflate: false });
    await within('ttyd answers', once(socket, 'open'));
    this.#resources.defer(() => socket.terminate());
    const take = clientSide(this.#options.client);
    const terminal = new Terminal((bytes) => socket.send(Buffer.concat([Buffer.of(DATA), bytes])));
    socket.on('message', (data: Buffer<ArrayBuffer>) => {
      if (data[0] !== DATA) return;
      const printed = data.subarray(1);
      take(printed, () => terminal.print(printed));
    });
    socket.send(JSON.stringify({ AuthToken: '', columns: SIZE.cols, rows: SIZE.rows }));
    return terminal;
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
