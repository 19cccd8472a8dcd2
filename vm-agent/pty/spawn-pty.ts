/**
 * Real programs in real terminals: the one file that knows node-pty.
 *
 * Of node-pty only the native part is used. Its JavaScript destroys the terminal 200 ms after the program
 * ended, read or not, and loses the tail of the output; and it retries a full terminal in a busy loop.
 *
 *             the program ends           not paused: what the kernel still held is delivered
 *   running ───────────────────► exited ─────────────────────────────────────────────────────► over
 *
 * The agent holds the other side of each terminal (the slave) open. Otherwise the kernel hangs the terminal
 * up whenever the last program closes it: at the end, while output is still to be read, and for good.
 */
import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants as os } from 'node:os';
import { dirname, resolve } from 'node:path';
import { ReadStream } from 'node:tty';
import { Refusal } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { foregroundOf } from './foreground.ts';
import { checkDirectory, findCommand } from './launch-checks.ts';
import {
  cwdOf,
  descendantsOf,
  type Individual,
  kill,
  processStat,
  sessionMembers,
} from './process-session.ts';
import type { Exit, Pty, PtyEvents, SpawnPty } from './pty.ts';
import { PtyInput } from './pty-input.ts';
import { FULL_READ_BYTES, Reading } from './reading.ts';
import { signalOf, terminalSettings } from './signal-keys.ts';

/**
 * Every read of every terminal goes through here, and out again before the next one. Linux holds 12 KiB
 * for a terminal, so one such buffer takes all that a program printed before it ended.
 */
const shared = new Uint8Array(PAYLOAD_MAX_BYTES);

const reading = new Reading();

interface Forked {
  readonly fd: number;
  readonly pid: number;
  /** Path of the slave side. */
  readonly pty: string;
}

interface Born extends Forked {
  /** Unknown of one that has ended already, and where there is no /proc. */
  readonly bornAt: string | undefined;
}

interface Native {
  fork(
    ...args: [
      file: string,
      args: readonly string[],
      env: readonly string[],
      cwd: string,
      cols: number,
      rows: number,
      uid: number,
      gid: number,
      utf8: boolean,
      helper: string,
      ended: (code: number, signal: number) => void,
    ]
  ): Forked;
  resize(fd: number, cols: number, rows: number, widthPixels: number, heightPixels: number): void;
}

const require = createRequire(import.meta.url);
const loaderPath = require.resolve('node-pty/lib/utils.js');
const loader: { loadNativeModule(name: string): { dir: string; module: Native } } = require(loaderPath);
const { dir, module: native } = loader.loadNativeModule('pty');
/** Only macOS starts programs through it. */
const helperPath = resolve(dirname(loaderPath), dir, 'spawn-helper');

export const spawnPty: SpawnPty = (spec, events) => {
  checkDirectory(spec.cwd);
  const file = findCommand(spec);
  const env = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`);
  const { cols, rows } = spec.size;
  let pty: NodePty | undefined;
  // Comes from the event loop, hence after `pty` is set; never set when the rest of the way failed.
  const ended = (code: number, signal: number): void => pty?.handleEnd(exitOf(code, signal));
  let forked: Forked | undefined;
  let slave: number | undefined;
  try {
    forked = forkWithoutGaps(() =>
      // No change of user (-1), and a terminal that erases UTF-8 characters whole.
      native.fork(file, spec.args, env, spec.cwd, cols, rows, -1, -1, true, helperPath, ended),
    );
    // Now, while the fork has given a descriptor back: the next line may take the last. A program whose birth is not known
    // cannot be told from a newcomer of the same number, and would never be signalled.
    const bornAt = processStat(forked.pid)?.bornAt;
    // Node opens close-on-exec, so no program inherits it. An agent that leads a session but has no
    // terminal (a service) would make this one its own, but for O_NOCTTY.
    slave = openSync(forked.pty, constants.O_RDWR | constants.O_NOCTTY);
    pty = new NodePty({ ...forked, bornAt }, slave, events);
    return pty;
  } catch (error) {
    if (slave !== undefined) closeSync(slave);
    if (forked !== undefined) {
      closeSync(forked.fd);
      kill(forked.pid, 'SIGKILL');
    }
    throw new Refusal(
      'no_pty',
      `The program was not started: this machine has no terminal to give (${(error as Error).message}). ` +
        'Close some sessions, or raise the limits on terminals (kernel.pty.max) and on open files.',
    );
  }
};

/**
 * Calls `fork` while every descriptor number below the highest is in use. Between fork and exec node-pty's
 * Linux build marks descriptors close-on-exec one by one and stops at the first number that is not open.
 * The child has closed its own master by then; so below other masters, or behind a gap that a closed
 * session left, it would hand the terminals of other sessions to the program. Now its master is above all.
 */
function forkWithoutGaps<T>(fork: () => T): T {
  if (process.platform !== 'linux') return fork();
  const fillers: number[] = [];
  try {
    const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
    while ((fillers.at(-1) ?? 0) < highest) fillers.push(openSync('/', constants.O_RDONLY));
    return fork();
  } catch {
    // Numbers climb while sessions overlap. At the limit a terminal with gaps is better than none.
    for (const filler of fillers.splice(0)) closeSync(filler);
    return fork();
  } finally {
    for (const filler of fillers) closeSync(filler);
  }
}

type State =
  | { readonly name: 'running' }
  | { readonly name: 'exited'; readonly exit: Exit }
  | { readonly name: 'over' };

class NodePty implements Pty {
  readonly pid: number;
  readonly #events: PtyEvents;
  readonly #master: number;
  readonly #slave: number;
  /** Watches the master and owns it: destroyed, the descriptor is closed and its number is someone else's. */
  readonly #socket: ReadStream;
  readonly #input: PtyInput;
  readonly #bornAt: string | undefined;
  /** Of what was signalled before: those in sessions of their own, whom nothing leads to once their parents ended. */
  #strays: readonly Individual[] = [];
  #paused = false;
  #isResting = false;
  #readMax = shared.length;
  #state: State = { name: 'running' };

  constructor({ fd, pid, bornAt }: Born, slave: number, events: PtyEvents) {
    this.pid = pid;
    this.#events = events;
    this.#master = fd;
    this.#slave = slave;
    this.#bornAt = bornAt;
    this.#input = new PtyInput(fd, (key) => void this.#signalFor(key));
    const callback = (count: number): true => {
      const filled = this.#deliver(count, reading.until(this, count, performance.now()));
      this.#rest(reading.restMs(this, filled, performance.now()));
      return true;
    };
    this.#socket = new ReadStream(fd, { onread: { buffer: shared, callback } });
    // Some systems hang the terminal up although its slave is held. The end of the program is all we
    // need to hear of, and that comes by itself.
    this.#socket.on('error', () => this.#input.drop());
    this.#socket.resume();
  }

  get backlogBytes(): number {
    return this.#input.backlogBytes;
  }

  write(bytes: Uint8Array, taken: () => void): void {
    if (this.#usable) this.#input.write(bytes, taken);
  }

  answer(bytes: Uint8Array): void {
    if (this.#usable) this.#input.answer(bytes);
  }

  prefer(): void {
    reading.typed(this, performance.now());
  }

  resize({ cols, rows }: Size): void {
    if (this.#usable) native.resize(this.#master, cols, rows, 0, 0);
  }

  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    if (!this.#isResting) this.#socket.resume();
    // Not now: this call may come from inside `output`, whose bytes are still in the shared buffer.
    if (this.#state.name === 'exited') setImmediate(() => this.#conclude());
  }

  readAtMost(bytes: number): void {
    this.#readMax = Math.min(shared.length, bytes);
  }

  cwd(): string | null {
    return this.#state.name === 'running' ? cwdOf(this.pid) : null;
  }

  foreground(): string | null {
    return this.#state.name === 'running' ? foregroundOf(this.pid) : null;
  }

  signal(name: NodeJS.Signals): boolean {
    const members = sessionMembers(this.pid, this.#bornAt);
    if (members !== undefined)
      return this.#family(members)
        .map((pid) => kill(pid, name))
        .includes(true);
    // Next best: the program and what it runs in the foreground. Once it was collected, its number is not ours.
    // It leads a group from just after its birth; it may be signalled before.
    return this.#state.name === 'running' && (kill(-this.pid, name) || kill(this.pid, name));
  }

  /** The members of the session, and everything that they have started since it was first looked for. */
  #family(members: readonly number[]): number[] {
    const before = this.#strays.filter(({ pid, bornAt }) => processStat(pid)?.bornAt === bornAt);
    const found = descendantsOf([...members, ...before.map(({ pid }) => pid)]);
    this.#strays = [...before, ...found].filter(({ pid }) => !members.includes(pid));
    return [...new Set([...members, ...this.#strays.map(({ pid }) => pid)])];
  }

  handleEnd(exit: Exit): void {
    this.#state = { name: 'exited', exit };
    this.#input.drop();
    this.#conclude();
  }

  get #usable(): boolean {
    return this.#state.name === 'running' && !this.#socket.destroyed;
  }

  /** The kernel would do this itself, had it room to look at the key. */
  async #signalFor(key: number): Promise<void> {
    const signal = signalOf(await terminalSettings(this.#slave), key);
    if (signal === null || !this.#usable) return;
    const group = processStat(this.pid)?.foregroundGroup ?? this.pid;
    if (signal.flushes) this.#input.flush();
    if (group > 0) kill(-group, signal.name);
  }

  /**
   * Adds what else the kernel has to the `count` bytes in the shared buffer, and hands them over. One
   * buffer at a time, or as much as comes `until` then: the event loop comes back for more, after it has seen to everyone else.
   * Returns how much there was.
   */
  #deliver(count: number, until: number): number {
    let filled = count;
    let last = count;
    while (filled < this.#readMax && performance.now() < until) {
      last = readNow(this.#master, filled, this.#readMax);
      if (last === 0) break;
      filled += last;
    }
    if (filled > 0) this.#events.output(shared.subarray(0, filled), last < FULL_READ_BYTES);
    return filled;
  }

  #rest(ms: number): void {
    if (ms === 0) return;
    this.#isResting = true;
    this.#socket.pause();
    setTimeout(() => {
      this.#isResting = false;
      if (!this.#paused) this.#socket.resume();
    }, ms);
  }

  /** Jobs that outlive the program may go on printing; they cannot put off its end. */
  #conclude(): void {
    if (this.#state.name !== 'exited' || this.#paused) return;
    const { exit } = this.#state;
    this.#state = { name: 'over' };
    this.#readMax = shared.length;
    if (!this.#socket.destroyed) this.#deliver(0, Number.POSITIVE_INFINITY);
    this.#socket.destroy();
    closeSync(this.#slave);
    this.#events.exited(exit);
  }
}

/** Reads behind `filled` bytes of the shared buffer. Zero when there is nothing: EAGAIN, or a hung-up terminal. */
function readNow(fd: number, filled: number, upTo: number): number {
  try {
    return readSync(fd, shared, filled, upTo - filled, null);
  } catch {
    return 0;
  }
}

function exitOf(code: number, signal: number): Exit {
  if (signal === 0) return { code, signal: null };
  const name = Object.entries(os.signals).find(([, number]) => number === signal)?.[0];
  return { code: null, signal: name ?? `SIG${signal}` };
}
