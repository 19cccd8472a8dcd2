/** node-pty in this process: what the kernel and node-pty allow, without a network. */
import { type IPty, spawn } from 'node-pty';
import { clientSide, SIZE } from './client-side.ts';
import { type Contender, type ContenderOptions, NO_COST, type ServerCost } from './contender.ts';
import { type Program, Terminal } from './terminal.ts';

export class RawPty implements Contender {
  readonly name = 'pty';
  readonly #ptys: IPty[] = [];
  readonly #options: ContenderOptions;

  private constructor(options: ContenderOptions) {
    this.#options = options;
  }

  static async start(options: ContenderOptions = {}): Promise<RawPty> {
    return new RawPty(options);
  }

  async open({ command, args }: Program): Promise<Terminal> {
    const take = clientSide(this.#options.client);
    const pty = spawn(command, [...args], { ...SIZE, encoding: null, name: 'xterm-256color' });
    this.#ptys.push(pty);
    const terminal = new Terminal((bytes) => pty.write(Buffer.from(bytes)));
    pty.onData((chunk) => {
      const bytes = chunk as unknown as Buffer<ArrayBuffer>;
      take(bytes, () => terminal.print(bytes));
    });
    return terminal;
  }

  /** Shared with the measurement itself, so it cannot be measured separately. */
  cost(): ServerCost {
    return NO_COST;
  }

  async messages(): Promise<null> {
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pty of this.#ptys) pty.kill('SIGKILL');
  }
}
