/** The interface of a program in a terminal. running-program.ts implements it; tests use a fake. */
import type { Size } from '../../protocol/frame.ts';

/** How a program ended. Both are null if that is not known. */
export interface Exit {
  /** Null if a signal ended the program. */
  readonly code: number | null;
  /** Name of the signal that ended the program, such as SIGTERM. */
  readonly signal: string | null;
}

export interface PtyEvents {
  /**
   * The program printed `bytes`. They are valid during this call only, so keep a copy, not the view. `isAll`: the
   * terminal is empty now, so the program has paused or ended; otherwise more is waiting.
   */
  output(bytes: Uint8Array, isAll: boolean): void;
  /** The terminal has another size from here on. Follows `resize`, in order with the output. */
  resized?(size: Size): void;
  /** The program took `count` more bytes that an earlier agent process had sent for this instance. */
  tookEarlier?(instance: string, count: number): void;
  /** The program has ended and all its output was delivered. Called once, as the last event. */
  exited(exit: Exit): void;
}

export interface SpawnSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly size: Size;
}

/** Whose input it is, and where in the stream of everything that instance types. */
export interface InputPlace {
  readonly instance: string;
  readonly offset: number;
}

export interface Pty {
  readonly pid: number;
  /** When the program was started, as the system tells it; undefined if it does not. */
  readonly bornAt: string | undefined;
  /** Queues `bytes` for the program, in order; `taken` runs once the terminal has accepted all of them. */
  write(bytes: Uint8Array, taken: () => void, from?: InputPlace): void;
  /** Notes an instance's promise where its input is counted. */
  promise(instance: string, once: string): void;
  /** Queues the terminal's reply to a query; dropped if the program queries more than it reads. */
  answer(bytes: Uint8Array): void;
  /** Somebody types into this terminal: bulk output of other terminals is read less for a while. */
  prefer(): void;
  /** Bytes queued by `write`, not by `answer`, that the terminal has not accepted yet. Empty writes count too. */
  readonly backlogBytes: number;
  /** Changes the size; the program receives SIGWINCH. */
  resize(size: Size): void;
  /** Stops and restarts reading. While paused, the program blocks once the kernel's buffer is full. */
  pause(): void;
  resume(): void;
  /** Roughly how much to read at once: bytes that were read cannot be given back if the clients are slow. */
  readAtMost(bytes: number): void;
  /** The program's working directory as the system reports it; null if unknown. */
  cwd(): string | null;
  /** The name of the foreground program: the program itself or what it waits for; for a script, the script's name. */
  foreground(): string | null;
  /** Signals every process of the terminal session and all their descendants; false if none is left. */
  signal(name: NodeJS.Signals): boolean;
  /** The session is removed, and nothing of it is needed any more. */
  forget(): void;
  /** Until the program was started, or refused; null if it was started before this object existed. */
  readonly starting: Promise<void> | null;
}

/** A program whose terminal this process owns. */
export interface OwnedPty extends Pty {
  /** Throws if another process could not continue with it. Nothing is read or written after this call. */
  save(): SavedPty;
}

/** What the next keeper needs to continue with a program and its terminal. */
export interface SavedPty {
  readonly pid: number;
  readonly bornAt: string | undefined;
  /** Null once the program has ended and all its output was read. */
  readonly terminal: {
    /** The descriptor of the master, which stays open. */
    readonly fd: number;
    /** The path of the slave. */
    readonly path: string;
  } | null;
  /** How the program ended, if its last output was not read yet. */
  readonly ended: Exit | null;
  /** Input that the terminal has not accepted, in order. */
  readonly waiting: readonly WaitingInput[];
}

export interface WaitingInput {
  readonly bytes: Uint8Array;
  /** Queued by `answer`, not by `write`. */
  readonly isAnswer: boolean;
}

/** The session that a program is started for. */
export interface SpawnedFor {
  readonly id: string;
  readonly handle: number;
  /** How much of its output is kept. */
  readonly historyBytes: number;
}

/** Starts a program. Throws a Refusal (`cwd_missing`, `command_missing`, `not_executable`, `no_pty`) on failure. */
export type SpawnPty = (spec: SpawnSpec, events: PtyEvents, session?: SpawnedFor) => Pty;

export type SpawnOwned = (spec: SpawnSpec, events: PtyEvents) => OwnedPty;

/** Continues with a program that an earlier keeper started. Its waiting input is not written yet. Throws nothing. */
export type AdoptPty = (saved: SavedPty, events: PtyEvents) => OwnedPty;
