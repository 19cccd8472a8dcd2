/**
 * A program in a terminal, as the rest of the agent sees it. spawn-pty.ts makes real ones; tests have
 * one that does what it is told.
 */
import type { Size } from '../../protocol/frame.ts';

export interface Exit {
  /** Null when a signal ended the program. */
  readonly code: number | null;
  /** Name of the signal that ended the program, such as SIGTERM. */
  readonly signal: string | null;
}

export interface PtyEvents {
  /**
   * The program printed `bytes`. They are valid during this call only: keep a copy, not the view. `isAll`: the terminal
   * has been read empty, so the program has paused or ended; otherwise more is there already.
   */
  output(bytes: Uint8Array, isAll: boolean): void;
  /** The program ended and every byte it printed has been delivered. Comes once, last. */
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

export interface Pty {
  readonly pid: number;
  /** Queues `bytes` for the program; `taken` runs once the terminal has accepted all of them. In order. */
  write(bytes: Uint8Array, taken: () => void): void;
  /** What the terminal says to a program that asked; dropped when the program asks more than it reads. */
  answer(bytes: Uint8Array): void;
  /** Somebody types into it: for a while what floods in other terminals is read less. */
  prefer(): void;
  /** Bytes queued by `write`, and not by `answer`, that the terminal has not accepted yet. A `write` of none counts too. */
  readonly backlogBytes: number;
  /** Changes the size; the program receives SIGWINCH. */
  resize(size: Size): void;
  /** Stops and restarts reading what the program prints. Paused, the program blocks when the kernel's buffer is full. */
  pause(): void;
  resume(): void;
  /** How much to read in one go, about: what is read cannot be taken back when its readers are slow. */
  readAtMost(bytes: number): void;
  /** Where the program is, as the system knows it; null when it cannot be told. */
  cwd(): string | null;
  /** The name of what runs in the foreground: the program itself, or what it waits for; of a script, the script's. */
  foreground(): string | null;
  /** Signals every process of the program's terminal session and all they started; false when there is none left. */
  signal(name: NodeJS.Signals): boolean;
}

/** Starts a program. Throws a Refusal (`cwd_missing`, `command_missing`, `not_executable`, `no_pty`) when it cannot. */
export type SpawnPty = (spec: SpawnSpec, events: PtyEvents) => Pty;
