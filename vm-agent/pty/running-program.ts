/**
 * A program that runs in a real terminal: reads what it prints, writes what is typed, signals it, and reports its end.
 *
 *             the program ends           not paused: what the kernel still held is delivered
 *   running ───────────────────► exited ─────────────────────────────────────────────────────► over
 */
import { closeSync, readSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Size } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { foregroundOf } from './foreground.ts';
import { cwdOf, kill, processStat } from './process-session.ts';
import { ProgramFamily } from './program-family.ts';
import type { Exit, OwnedPty, PtyEvents, SavedPty } from './pty.ts';
import { PtyInput } from './pty-input.ts';
import { FULL_READ_BYTES, Reading } from './reading.ts';
import { type KeySignal, StuckKeys } from './signal-keys.ts';
import { terminalSettings } from './terminal-settings.ts';

/**
 * All reads of all terminals use this buffer, and its contents are consumed before the next read. Linux holds 12 KiB
 * per terminal, so one buffer takes everything a program printed before it ended.
 */
const shared = new Uint8Array(PAYLOAD_MAX_BYTES);

const reading = new Reading();

/** A program that was started, and both sides of its terminal. */
interface Started {
  readonly fd: number;
  readonly slave: number;
  /** Of the slave. */
  readonly path: string;
  readonly pid: number;
  /** Undefined if the program has already ended or there is no /proc. */
  readonly bornAt: string | undefined;
  /** Changes the size of its terminal. */
  readonly resizeTo: (cols: number, rows: number) => void;
}

type State =
  | { readonly name: 'running' }
  | { readonly name: 'exited'; readonly exit: Exit }
  | { readonly name: 'over' };

export class RunningProgram implements OwnedPty {
  readonly pid: number;
  readonly bornAt: string | undefined;
  readonly starting = null;
  readonly #events: PtyEvents;
  /** Watches the master and owns it: destroying it closes the descriptor, whose number may then be reused. */
  readonly #socket: ReadStream;
  readonly #input: PtyInput;
  readonly #started: Started;
  readonly #family: ProgramFamily;
  #paused = false;
  #isResting = false;
  #readMax = shared.length;
  #state: State = { name: 'running' };

  constructor(started: Started, events: PtyEvents) {
    const { fd, pid } = started;
    this.pid = pid;
    this.bornAt = started.bornAt;
    this.#events = events;
    this.#started = started;
    this.#family = new ProgramFamily(pid, started.bornAt);
    const stuck = new StuckKeys({
      // The descriptor's number may be reused once the program has ended.
      settings: async () => (this.#usable ? terminalSettings(started.slave) : ''),
      send: (signal) => this.#signalFor(signal),
    });
    this.#input = new PtyInput(fd, (key) => stuck.pressed(key));
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

  /** The ledger of its terminal has it. */
  promise(): void {}

  forget(): void {}

  resize(size: Size): void {
    if (this.#usable) this.#started.resizeTo(size.cols, size.rows);
    this.#events.resized?.(size);
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
    return this.#family.signal(name, this.#state.name === 'running');
  }

  save(): SavedPty {
    const { pid, bornAt } = this;
    if (this.#state.name === 'over') return { pid, bornAt, terminal: null, ended: null, waiting: [] };
    if (this.#socket.destroyed) throw new Error(`the terminal of process ${pid} was hung up`);
    const { fd, path } = this.#started;
    const ended = this.#state.name === 'exited' ? this.#state.exit : null;
    return { pid, bornAt, terminal: { fd, path }, ended, waiting: this.#input.waiting };
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
  #signalFor(signal: KeySignal): void {
    if (!this.#usable) return;
    const group = processStat(this.pid)?.foregroundGroup ?? this.pid;
    if (signal.flushes) this.#input.flush();
    if (group > 0) kill(-group, signal.name);
  }

  /**
   * Reads more into the shared buffer after the first `count` bytes, and delivers all of it. It reads one buffer at
   * most and stops at `until`; the event loop calls again after serving the others. Returns the number of bytes.
   */
  #deliver(count: number, until: number): number {
    const { fd } = this.#started;
    let filled = count;
    let last = count;
    while (filled < this.#readMax && performance.now() < until) {
      last = readNow(fd, filled, this.#readMax);
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
    closeSync(this.#started.slave);
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
