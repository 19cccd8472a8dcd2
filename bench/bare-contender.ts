/** The least that could put a terminal on a socket, as a process: what our agent is measured beside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { within } from './deadline.ts';
import { SocketServer } from './socket-server.ts';
import { type Contender, type Program, Terminal } from './terminal.ts';

const program = fileURLToPath(new URL('./bare-program.ts', import.meta.url));

/** Holds one terminal, for which the process is started. */
export class BareContender implements Contender {
  readonly name = 'bare' as const;
  readonly #server: SocketServer;
  #child: ChildProcess | undefined;
  frames = 0;

  private constructor(server: SocketServer) {
    this.#server = server;
  }

  static async start(): Promise<BareContender> {
    return new BareContender(await SocketServer.listen());
  }

  get pid(): number {
    return this.#child?.pid ?? -1;
  }

  async open({ command, args }: Program): Promise<Terminal> {
    if (this.#child !== undefined) throw new Error('invariant: the bare contender holds one terminal');
    const address = this.#server.url.href.replace('http', 'ws');
    this.#child = spawn(process.execPath, [program, address, command, ...args], { stdio: 'inherit' });
    const socket = await within('the bare program dials', this.#server.accept());
    const terminal = new Terminal((bytes) => socket.send(bytes));
    socket.on('message', (data: Buffer) => {
      this.frames++;
      terminal.print(data);
    });
    return terminal;
  }

  /** The process ends when its socket does. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#child === undefined ? undefined : once(this.#child, 'exit');
    await this.#server.close();
    await ended;
  }
}
