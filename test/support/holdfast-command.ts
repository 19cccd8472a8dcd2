/** Runs `holdfast` as a user would: in a pipe, or in a terminal of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Size } from '../../protocol/frame.ts';
import type { Pty } from '../../vm-agent/pty/pty.ts';
import { spawnPty } from '../../vm-agent/pty/spawn-pty.ts';
import { TerminalScreen } from './terminal-screen.ts';

/** The command as it is installed. */
export const BIN = fileURLToPath(new URL('../../dist/cli/holdfast.js', import.meta.url));

type Variables = Readonly<Record<string, string | undefined>>;

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** An environment with nothing of the user who runs the tests except PATH. */
export function plainEnvironment(more: Variables = {}): Record<string, string> {
  const all = { PATH: process.env.PATH, HOME: '/tmp', TERM: 'xterm-256color', LANG: 'C.UTF-8', ...more };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

export interface RunOptions {
  readonly env?: Variables;
  readonly input?: string;
  readonly cwd?: string;
  /** Another installation of the command. */
  readonly bin?: string;
}

export function holdfast(
  args: readonly string[],
  { env, input = '', cwd, bin = BIN }: RunOptions = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: plainEnvironment(env), ...(cwd === undefined ? {} : { cwd }) };
    const child = execFile(process.execPath, [bin, ...args], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin?.end(input);
  });
}

export interface DeskOptions {
  readonly size?: Size;
  /** The file to which stderr goes, if not to the terminal. */
  readonly stderr?: string;
  /** The background colour that the terminal reports when asked; without it, the terminal does not answer. */
  readonly background?: string;
}

/** A real terminal around the command, which answers queries. */
export class DeskTerminal implements Disposable {
  readonly screen: TerminalScreen;
  readonly ended: Promise<number>;
  readonly #pty: Pty;
  /** Everything written to the terminal (`written`), and everything it sent by itself (`said`). */
  written = '';
  said = '';

  constructor(args: readonly string[], env: Variables, options: DeskOptions = {}) {
    const { size = { cols: 80, rows: 24 }, stderr, background } = options;
    const command = [process.execPath, BIN, ...args];
    const [program = '', ...rest] =
      stderr === undefined ? command : ['/bin/sh', '-c', `exec "$@" 2>'${stderr}'`, 'sh', ...command];
    const says = (text: string) => {
      this.said += text;
      this.presses(text);
    };
    this.screen = new TerminalScreen(size, (terminal) => {
      terminal.onData(says);
      terminal.parser.registerOscHandler(11, (data) => {
        if (data === '?' && background !== undefined) says(`\x1b]11;${background}\x1b\\`);
        return true;
      });
    });
    let end: (code: number) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#pty = spawnPty(
      { command: program, args: rest, cwd: '/tmp', env: plainEnvironment(env), size },
      {
        output: (bytes) => {
          const copy = new Uint8Array(bytes);
          this.written += Buffer.from(copy).toString('latin1');
          this.screen.write(copy, () => {});
        },
        exited: ({ code }) => this.screen.write(new Uint8Array(0), () => end(code ?? -1)),
      },
    );
  }

  get pid(): number {
    return this.#pty.pid;
  }

  presses(keys: string): void {
    this.#pty.write(new TextEncoder().encode(keys), () => {});
  }

  resize(size: Size): void {
    this.screen.resize(size);
    this.#pty.resize(size);
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
  }

  [Symbol.dispose](): void {
    this.#pty.signal('SIGKILL');
  }
}
