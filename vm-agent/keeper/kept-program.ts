/**
 * One program in its terminal, and everything about it that must outlive the agent: output, sizes, the ledger of its
 * input, its exit, and what agents left for the next one.
 *
 *   start                         sent              end          credit
 *     ├── the agent has it ────────┼── waits here ───┤  …reading…  │
 *
 * While an agent is attached, no more is read than it has asked for. Between two agents, the program may print until
 * the limits on kept output are reached.
 */
import type { Size } from '../../protocol/frame.ts';
import type { Exit, OwnedPty, SpawnSpec } from '../pty/pty.ts';
import { type SizeChange, SizeHistory } from '../terminal/size-history.ts';
import { KeptBlobs } from './kept-blobs.ts';
import { OUTPUT_FRAME_MAX_BYTES, REPLACED_MAX_BYTES, RETAINED_MAX_BYTES } from './limits.ts';
import type { ProgramState } from './messages.ts';
import { OutputLog } from './output-log.ts';
import { ProgramInput } from './program-input.ts';
import type { ProgramEvents, ProgramOptions } from './program-options.ts';
import type { SavedProgram } from './saved-state.ts';

type Attached =
  | { readonly name: 'agent' }
  /** No agent since this offset, and the program may wait for the next one. */
  | { readonly name: 'between'; readonly from: number }
  /** No agent for long: the program does not wait. */
  | { readonly name: 'alone' };

export class KeptProgram {
  readonly handle: number;
  readonly id: string;
  readonly blobs = new KeptBlobs();
  readonly #spec: SpawnSpec;
  readonly #historyBytes: number;
  readonly #events: ProgramEvents;
  readonly #log: OutputLog;
  readonly #sizes: SizeHistory;
  readonly #input: ProgramInput;
  readonly #pty: OwnedPty;
  #attached: Attached;
  /** Offset up to which output was sent to the agent. */
  #sent = 0;
  #credit = 0;
  /** Whether this agent has given any credit. */
  #isAsked = false;
  /** The next agent needs output from here on. */
  #retain = 0;
  /** Resizes that the agent was not told of yet. */
  #unsentSizes: SizeChange[] = [];
  /** Whether the terminal was empty after the last read. */
  #isAll = true;
  #readMaxBytes = OUTPUT_FRAME_MAX_BYTES;
  #exit: Exit | null = null;
  #isExitSent = false;
  #isPaused = false;
  #whenEnded = () => {};

  /** Starts the program, or continues with one that was saved. Throws a Refusal if it cannot be started. */
  constructor({ handle, id, spec, historyBytes, saved, clock, start, events }: ProgramOptions) {
    this.handle = handle;
    this.id = id;
    this.#spec = spec;
    this.#historyBytes = historyBytes;
    this.#events = events;
    this.#log = new OutputLog(saved?.output.start);
    this.#sizes = SizeHistory.of(saved?.sizes) ?? new SizeHistory(spec.size);
    if (saved !== undefined) {
      const { output, isAll, retain, exit } = saved;
      for (const piece of output.pieces) this.#log.write(piece);
      for (const [name, bytes] of saved.blobs) this.blobs.put(name, bytes);
      this.#sent = output.start;
      this.#isAll = isAll;
      this.#retain = retain;
      this.#exit = exit;
    }
    this.#attached = saved === undefined ? { name: 'agent' } : { name: 'between', from: this.#log.end };
    this.#pty = start({
      output: (bytes, isAll) => this.#printed(bytes, isAll),
      resized: (size) => this.#resized(size),
      exited: (exit) => {
        this.#exit = exit;
        this.#whenEnded();
        this.pump();
      },
    });
    this.#input = new ProgramInput({ pty: this.#pty, clock, events, saved });
    this.#throttle();
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get bornAt(): string | undefined {
    return this.#pty.bornAt;
  }

  get hasExited(): boolean {
    return this.#exit !== null;
  }

  /** Output that is kept beyond the history. */
  get retainedBytes(): number {
    return Math.max(0, this.#log.length - this.#historyBytes);
  }

  /** Another agent: it gets everything that is kept, again. `isBare`: only what is printed from now on. */
  attach(isBare: boolean): ProgramState {
    this.#attached = { name: 'agent' };
    this.#sent = isBare ? this.#log.end : this.#log.start;
    this.#credit = this.#sent;
    this.#readMaxBytes = OUTPUT_FRAME_MAX_BYTES;
    this.#isExitSent = false;
    this.#isAsked = false;
    this.#unsentSizes = this.#sizes.since(this.#sent);
    this.#throttle();
    return {
      handle: this.handle,
      id: this.id,
      pid: this.pid,
      bornAt: this.bornAt,
      spec: { ...this.#spec, size: this.#sizes.at(this.#sent) },
      start: this.#sent,
      end: this.#log.end,
      backlogBytes: this.#pty.backlogBytes,
      ledger: this.#input.attach(),
    };
  }

  /** The agent is gone. */
  detach(): void {
    this.#attached = { name: 'between', from: this.#log.end };
    this.#input.detach();
    this.#throttle();
  }

  /** It has been gone for long. */
  leaveAlone(): void {
    if (this.#attached.name === 'between') this.release();
  }

  /** The program waits for nobody from now on. `ended` is called when it ends. */
  release(ended = () => {}): void {
    this.#whenEnded = ended;
    this.#attached = { name: 'alone' };
    this.#input.detach();
    this.#trim();
    this.#throttle();
  }

  /** What the agent may be sent has changed. */
  pump(): void {
    // It is told nothing before it has made ready for this program.
    if (!this.#isAsked) return this.#throttle();
    while (this.#attached.name === 'agent' && this.#events.isWritable) {
      const [resize] = this.#unsentSizes;
      if (resize !== undefined && resize.offset <= this.#sent) {
        this.#unsentSizes.shift();
        this.#events.resized(resize.offset, resize.size);
        continue;
      }
      const until = Math.min(this.#credit, resize?.offset ?? this.#log.end);
      const bytes = this.#log.view(this.#sent, Math.min(OUTPUT_FRAME_MAX_BYTES, until - this.#sent));
      if (bytes.length === 0) break;
      const offset = this.#sent;
      this.#sent += bytes.length;
      this.#events.output(offset, bytes, this.#isAll && this.#sent === this.#log.end);
    }
    if (this.#sent === this.#log.end && this.#unsentSizes.length === 0) this.#tellExit();
    this.#throttle();
  }

  grant(credit: number): void {
    this.#isAsked = true;
    this.#input.asked();
    this.#credit = Math.max(this.#credit, credit);
    this.pump();
  }

  readAtMost(bytes: number): void {
    this.#readMaxBytes = bytes;
    this.#throttle();
  }

  retain(offset: number): void {
    this.#retain = Math.max(this.#retain, offset);
    this.#trim();
    this.#throttle();
  }

  type(instance: string, offset: number, bytes: Uint8Array): void {
    this.#input.type(instance, offset, bytes);
  }

  promise(instance: string, once: string): void {
    this.#input.promise(instance, once);
  }

  answer(bytes: Uint8Array): void {
    this.#pty.answer(bytes);
  }

  resize(size: Size): void {
    if (this.#exit === null) this.#pty.resize(size);
  }

  signal(name: NodeJS.Signals): boolean {
    return this.#pty.signal(name);
  }

  /** Everything that the next keeper needs. Throws if it could not continue with the program. */
  save(): Omit<SavedProgram, 'isForgotten'> {
    const { waiting, ...pty } = this.#pty.save();
    return {
      handle: this.handle,
      id: this.id,
      spec: this.#spec,
      historyBytes: this.#historyBytes,
      pty,
      exit: this.#exit,
      output: { start: this.#log.start, pieces: this.#log.pieces() },
      isAll: this.#isAll,
      retain: this.#retain,
      sizes: this.#sizes.changes,
      blobs: this.blobs.entries(),
      ...this.#input.save(waiting),
    };
  }

  #printed(bytes: Uint8Array, isAll: boolean): void {
    const offset = this.#log.end;
    this.#log.write(bytes);
    this.#isAll = isAll;
    if (this.#canSendAtOnce(offset)) {
      this.#sent = this.#log.end;
      this.#events.output(offset, bytes, isAll);
    }
    this.#trim();
    this.pump();
  }

  /** Whether the agent has everything before `offset`, and has asked for everything since. */
  #canSendAtOnce(offset: number): boolean {
    if (this.#attached.name !== 'agent' || !this.#events.isWritable) return false;
    return this.#credit >= this.#log.end && this.#sent === offset && this.#unsentSizes.length === 0;
  }

  #resized(size: Size): void {
    this.#sizes.forget(this.#log.start);
    this.#sizes.record(this.#log.end, size);
    this.#unsentSizes = this.#unsentSizes.filter(({ offset }) => offset !== this.#log.end);
    this.#unsentSizes.push({ offset: this.#log.end, size });
    this.pump();
  }

  #tellExit(): void {
    if (this.#attached.name !== 'agent' || this.#exit === null || this.#isExitSent) return;
    this.#isExitSent = true;
    this.#events.exited(this.#exit);
  }

  /** Drops output that nobody will ask for. */
  #trim(): void {
    // Clients of the agent that is gone continue with output that they had not been sent by then.
    const last = this.#attached.name === 'between' ? this.#attached.from : this.#log.end;
    const history = last - this.#historyBytes;
    // What the agent has not been sent is kept, however long that takes.
    const needed = this.#attached.name === 'alone' ? history : Math.min(this.#retain, this.#sent, history);
    this.#log.dropBefore(Math.max(needed, this.#log.end - RETAINED_MAX_BYTES));
  }

  /** Lets the program print as much as may be kept, or as the agent has asked for. */
  #throttle(): void {
    const room = this.#roomBytes;
    // A read may exceed the room. Cut to it, reads would be short, and short ones are passed on without waiting for more.
    if (room > 0) this.#pty.readAtMost(this.#readMaxBytes);
    if (room > 0 !== this.#isPaused) return;
    this.#isPaused = room <= 0;
    if (this.#isPaused) this.#pty.pause();
    else this.#pty.resume();
  }

  get #roomBytes(): number {
    if (this.#attached.name === 'agent') return this.#credit - this.#log.end;
    if (this.#attached.name === 'alone') return this.#historyBytes;
    if (this.#events.isOverfull) return 0;
    const mostBytes = RETAINED_MAX_BYTES - this.#log.length;
    if (this.#events.isOverdue) return mostBytes;
    return Math.min(mostBytes, this.#attached.from + REPLACED_MAX_BYTES - this.#log.end);
  }
}
