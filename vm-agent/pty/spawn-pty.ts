/**
 * Runs programs in real terminals. This is the only file that uses node-pty.
 *
 * It uses only the native part of node-pty. Its JavaScript destroys the terminal 200 ms after the program ended, even
 * if output is unread, and so loses the end of the output. It also retries writes to a full terminal in a busy loop.
 *
 *             the program ends           not paused: what the kernel still held is delivered
 *   running ───────────────────► exited ─────────────────────────────────────────────────────► over
 *
 * The agent keeps the other side of each terminal (the slave) open. Otherwise the kernel would hang up the terminal for
 * good whenever the last program closes it, possibly while output is unread.
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
 * All reads of all terminals use this buffer, and its contents are consumed before the next read. Linux holds 12 KiB
 * per terminal, so one buffer takes everything a program printed before it ended.
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
  /** Undefined if the program has already ended or there is no /proc. */
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
  // Called by the event loop, so `pty` is set by then unless a later step failed.
  const ended = (code: number, signal: number): void => pty?.handleEnd(exitOf(code, signal));
  let forked: Forked | undefined;
  let slave: number | undefined;
  try {
    forked = forkWithoutGaps(() =>
      // No change of user (-1), and a terminal that erases UTF-8 characters whole.
      native.fork(file, spec.args, env, spec.cwd, cols, rows, -1, -1, true, helperPath, ended),
    );
    // Read this now, while the fork has released a descriptor: the next line may take the last one. Without a start
    // time, the program cannot be told from a later process with the same pid, and would never be signalled.
    const bornAt = processStat(forked.pid)?.bornAt;
    // Node opens with close-on-exec, so no program inherits it. O_NOCTTY: an agent that leads a session without a
    // terminal (a service) would otherwise get this one as its controlling terminal.
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
      `The program was not started: this machine cannot open another terminal (${(error as Error).message}). ` +
        'Close some sessions, or raise the limits on terminals (kernel.pty.max) and on open files.',
    );
  }
};

/**
 * Calls `fork` while every descriptor number below the highest is in use. Between fork and exec, node-pty's Linux build
 * marks descriptors close-on-exec one by one and stops at the first number that is not open. The child has closed its
 * own master by then. If that master had a lower number than others, or if a closed session had left a gap, the program
 * would inherit the terminals of other sessions. Without gaps, the new master has the highest number.
 */
function forkWithoutGaps<T>(fork: () => T): T {
  if (process.platform !== 'linux') return fork();
  const fillers: number[] = [];
  try {
    const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
    while ((fillers.at(-1) ?? 0) < highest) fillers.push(openSync('/', constants.O_RDONLY));
    return fork();
  } catch {
    // Numbers grow while sessions overlap. At the limit, a terminal with gaps is better than none.
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
  /** Watches the master and owns it: destroying it closes the descriptor, whose number may then be reused. */
  readonly #socket: ReadStream;
  readonly #input: PtyInput;
  readonly #bornAt: string | undefined;
  /**
   * Processes signalled before that run in their own sessions. Once their parents ended, nothing else leads to them.
   */
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
    // Some systems hang up the terminal although the slave is open. Only the program's end matters, and that is
    // reported separately.
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
    // Deferred, because this call may come from inside `output`, whose bytes are still in the shared buffer.
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
    // The next best: the program and its foreground group. Once the program was reaped, its pid is no longer ours. It
    // becomes group leader just after its start, but may be signalled before that.
    return this.#state.name === 'running' && (kill(-this.pid, name) || kill(this.pid, name));
  }

  /** The members of the session, and all their descendants found so far. */
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

  /** Sends the signal that the kernel would send if it had room for the key. */
  async #signalFor(key: number): Promise<void> {
    const signal = signalOf(await terminalSettings(this.#slave), key);
    if (signal === null || !this.#usable) return;
    const group = processStat(this.pid)?.foregroundGroup ?? this.pid;
    if (signal.flushes) this.#input.flush();
    if (group > 0) kill(-group, signal.name);
  }

  /**
   * Reads more into the shared buffer after the first `count` bytes, and delivers all of it. It reads one buffer at
   * most and stops at `until`; the event loop calls again after serving the others. Returns the number of bytes.
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

  /** Background jobs may outlive the program and keep printing; they do not delay its exit. */
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

/**
 * Reads into the shared buffer after `filled` bytes. Zero if there is nothing: EAGAIN, or a terminal that was hung up.
 */
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
