/**
 * A program that the keeper owns, as this agent process sees it. Output comes with credit: the keeper reads no more of
 * the terminal than was asked for, so that a paused program waits as if its terminal were here.
 */
import type { Refusal } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import type { ToKeeper } from '../keeper/messages.ts';
import { foregroundOf } from '../pty/foreground.ts';
import { cwdOf } from '../pty/process-session.ts';
import { ProgramFamily } from '../pty/program-family.ts';
import type { Exit, InputPlace, Pty, PtyEvents } from '../pty/pty.ts';

/** Towards the keeper. */
export interface ProgramWire {
  tell(message: ToKeeper): void;
  input(handle: number, from: InputPlace, bytes: Uint8Array): void;
  answer(handle: number, bytes: Uint8Array): void;
  credit(handle: number, offset: number): void;
  /** Output was passed on. */
  passedOn(): void;
  /** The session was removed. */
  forgotten(handle: number): void;
  /** The process that started the program. */
  readonly keeperPid: number;
}

/** A program that was started before. */
export interface StartedProgram {
  readonly pid: number;
  readonly bornAt: string | undefined;
  /** The offset of the first byte that follows. */
  readonly start: number;
  /** Input of earlier processes that it has not taken yet. */
  readonly backlogBytes: number;
}

/** How much is read at once if nothing limits it. */
const FRAME_BYTES = 64 * 1024;

/** So many frames may be on their way: the keeper reads and sends some while the others are passed on. */
const WINDOW_FRAMES = 4;

/** What a write that waits counts at least, as in pty-input.ts. */
const COST_MIN_BYTES = 256;

interface Write {
  readonly cost: number;
  readonly taken: () => void;
}

type Event =
  | { readonly kind: 'output'; readonly bytes: Uint8Array; readonly isAll: boolean }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'exited'; readonly exit: Exit };

export class KeptPty implements Pty {
  /** Resolves once the keeper has started the program, or rejects with its Refusal. */
  readonly starting: Promise<void> | null;
  backlogBytes: number;
  readonly #handle: number;
  readonly #wire: ProgramWire;
  readonly #events: PtyEvents;
  /** In order; the keeper confirms each of them. */
  readonly #writes: Write[] = [];
  /** What came while the program was paused. */
  readonly #held: Event[] = [];
  #process: { readonly pid: number; readonly family: ProgramFamily } | null = null;
  /** A signal that came before the program was started. */
  #signal: NodeJS.Signals | undefined;
  /** Of the backlog, what earlier processes have sent. */
  #earlierBytes: number;
  #isPaused = false;
  #hasExited = false;
  #read: number;
  #granted = 0;
  #windowBytes = WINDOW_FRAMES * FRAME_BYTES;
  #started: (refusal?: Refusal) => void = () => {};

  constructor(handle: number, wire: ProgramWire, events: PtyEvents, program?: StartedProgram) {
    this.#handle = handle;
    this.#wire = wire;
    this.#events = events;
    this.#earlierBytes = program?.backlogBytes ?? 0;
    this.backlogBytes = this.#earlierBytes;
    this.#read = program?.start ?? 0;
    this.starting = program === undefined ? this.#untilStarted() : null;
    if (program !== undefined) this.spawned(program.pid, program.bornAt);
    this.#grant();
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  readonly bornAt = undefined;

  /** Offset up to which output was passed on. */
  get end(): number {
    return this.#read;
  }

  write(bytes: Uint8Array, taken: () => void, from?: InputPlace): void {
    if (from === undefined) throw new Error('invariant: the keeper counts the input of instances');
    if (this.#hasExited) return;
    const cost = Math.max(COST_MIN_BYTES, bytes.length);
    this.#writes.push({ cost, taken });
    this.backlogBytes += cost;
    this.#wire.input(this.#handle, from, bytes);
  }

  promise(instance: string, once: string): void {
    this.#wire.tell({ type: 'promise', handle: this.#handle, instance, once });
  }

  answer(bytes: Uint8Array): void {
    this.#wire.answer(this.#handle, bytes);
  }

  /** The keeper notices by itself. */
  prefer(): void {}

  resize(size: Size): void {
    this.#wire.tell({ type: 'resize', handle: this.#handle, size });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    // Deferred, because this call may come from inside an event.
    if (this.#held.length > 0) setImmediate(() => this.#release());
    this.#grant();
  }

  /** Called with every acknowledgement of a client. */
  readAtMost(bytes: number): void {
    if (this.#windowBytes === WINDOW_FRAMES * bytes) return;
    this.#windowBytes = WINDOW_FRAMES * bytes;
    this.#wire.tell({ type: 'read_at_most', handle: this.#handle, bytes });
    this.#grant();
  }

  cwd(): string | null {
    return this.#process === null || this.#hasExited ? null : cwdOf(this.#process.pid);
  }

  foreground(): string | null {
    if (this.#process === null || this.#hasExited) return null;
    return foregroundOf(this.#process.pid, this.#wire.keeperPid);
  }

  signal(name: NodeJS.Signals): boolean {
    if (this.#process !== null) return this.#process.family.signal(name, !this.#hasExited);
    this.#signal = name;
    return true;
  }

  forget(): void {
    this.#wire.forgotten(this.#handle);
  }

  /** The keeper has started the program. */
  spawned(pid: number, bornAt: string | undefined): void {
    this.#process = { pid, family: new ProgramFamily(pid, bornAt) };
    if (this.#signal !== undefined) this.signal(this.#signal);
    this.#started();
  }

  refused(refusal: Refusal): void {
    this.#started(refusal);
  }

  /** Output from the keeper. The bytes are valid during this call only. */
  printed(bytes: Uint8Array, isAll: boolean): void {
    if (this.#mustHold) this.#held.push({ kind: 'output', bytes: new Uint8Array(bytes), isAll });
    else this.#pass({ kind: 'output', bytes, isAll });
  }

  resized(size: Size): void {
    if (this.#mustHold) this.#held.push({ kind: 'resized', size });
    else this.#pass({ kind: 'resized', size });
  }

  exited(exit: Exit): void {
    this.#hasExited = true;
    if (this.#mustHold) this.#held.push({ kind: 'exited', exit });
    else this.#pass({ kind: 'exited', exit });
  }

  /** The program took one write of this process, or `count` bytes of an earlier one. */
  took(instance: string, count: number, isEarlier: boolean): void {
    if (isEarlier) {
      const taken = Math.min(this.#earlierBytes, Math.max(COST_MIN_BYTES, count));
      this.#earlierBytes -= taken;
      this.backlogBytes -= taken;
      return this.#events.tookEarlier?.(instance, count);
    }
    const write = this.#writes.shift();
    if (write === undefined) return;
    this.backlogBytes -= write.cost;
    write.taken();
  }

  get #mustHold(): boolean {
    return this.#isPaused || this.#held.length > 0;
  }

  #untilStarted(): Promise<void> {
    const starting = new Promise<void>((resolve, reject) => {
      this.#started = (refusal) => (refusal === undefined ? resolve() : reject(refusal));
    });
    // Whoever waits for it is told; nobody has to.
    starting.catch(() => {});
    return starting;
  }

  #release(): void {
    while (!this.#isPaused) {
      const event = this.#held.shift();
      if (event === undefined) return;
      this.#pass(event);
    }
  }

  #pass(event: Event): void {
    if (event.kind === 'output') {
      this.#read += event.bytes.length;
      this.#events.output(event.bytes, event.isAll);
      this.#grant();
      this.#wire.passedOn();
    } else if (event.kind === 'resized') this.#events.resized?.(event.size);
    else this.#events.exited(event.exit);
  }

  /** Asks for more once half of what was asked for has been read. */
  #grant(): void {
    if (this.#isPaused || this.#granted - this.#read > this.#windowBytes / 2) return;
    this.#granted = this.#read + this.#windowBytes;
    this.#wire.credit(this.#handle, this.#granted);
  }
}
