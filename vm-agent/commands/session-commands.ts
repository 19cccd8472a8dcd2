/** The commands of one session, found in what its program prints. */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import { CommandLog, type Moment, type SavedCommandLog } from './command-log.ts';
import { MarkBudget } from './mark-budget.ts';
import { MarkScanner } from './mark-scanner.ts';
import { type StoredCommand, type StoredCommands, storedList } from './stored-commands.ts';

interface SessionCommandsOptions {
  readonly clock: Clock;
  /** Proves that a mark is of our own script; null if the session has none. */
  readonly nonce: string | null;
  /** The commands from before the agent was restarted. */
  readonly earlier: StoredCommands | undefined;
  /** What another agent process has found in this output, up to an offset. */
  readonly saved?: SavedCommands | undefined;
  /** A command has ended. Nothing may be changed from here. */
  readonly ended?: (command: SessionCommand) => void;
}

/** The commands of a session, for another agent process that reads the same output. */
export interface SavedCommands {
  /** What was printed before this offset has been read. */
  readonly to: number;
  readonly log: SavedCommandLog;
}

export class SessionCommands {
  readonly #clock: Clock;
  readonly #log: CommandLog;
  readonly #scanner: MarkScanner;
  readonly #budget: MarkBudget;
  readonly #nonce: Buffer | null;
  /** What was printed before this offset has been read. */
  #to: number;

  constructor({ clock, nonce, earlier, saved, ended }: SessionCommandsOptions) {
    this.#clock = clock;
    this.#log = new CommandLog({ nonce, earlier, saved: saved?.log, moment: this.#moment, ended });
    this.#to = saved?.to ?? 0;
    this.#budget = new MarkBudget(clock.now());
    this.#nonce = nonce === null ? null : Buffer.from(nonce);
    this.#scanner = new MarkScanner(
      (found) => this.#log.see(found, this.#moment),
      (data) => this.#isWanted(data),
    );
  }

  /** Oldest first. */
  get list(): readonly SessionCommand[] {
    return this.#log.commands;
  }

  /** Whether the shell has told that a command runs. */
  get isRunning(): boolean {
    return this.#log.isRunning;
  }

  find(number: number): SessionCommand | undefined {
    return this.#log.find(number);
  }

  /** Throws `command_unknown`. */
  require(number: number): SessionCommand {
    const command = this.find(number);
    if (command !== undefined) return command;
    throw new Refusal('command_unknown', 'This session has no such command, or it is no longer listed.');
  }

  /** Whether the shell waits for a command, as its marks tell; undefined if it makes none that are proven. */
  get isAtPrompt(): boolean | undefined {
    return this.#log.isAtPrompt;
  }

  /** Counts the prompts. */
  get prompts(): number {
    return this.#log.prompts;
  }

  /** The command that runs, as far as verified marks tell. */
  get running(): SessionCommand | undefined {
    return this.#log.running;
  }

  /** The oldest command whose end was printed at this offset or later. */
  firstEndedSince(offset: number): SessionCommand | undefined {
    return this.list.find(({ outputTo }) => outputTo !== null && outputTo >= offset);
  }

  /** Counts changes. */
  get version(): number {
    return this.#log.version;
  }

  /** What the agent's next life needs. */
  stored(): StoredCommand[] {
    return storedList(this.#log.commands);
  }

  /** No command has this number, or a higher one. */
  get nextNumber(): number {
    return this.#log.nextNumber;
  }

  /** `bytes` were printed at `offset`; they are valid during this call only. */
  printed(offset: number, bytes: Uint8Array): void {
    const read = Math.max(0, this.#to - offset);
    if (read >= bytes.length) return;
    this.#scanner.scan(offset + read, read === 0 ? bytes : bytes.subarray(read));
    this.#to = offset + bytes.length;
  }

  /** Everything another agent process needs that continues here. */
  save(): SavedCommands {
    return { to: this.#to, log: this.#log.save(this.#moment) };
  }

  /** The program has ended, with its output at `end`. */
  exited(end: number): void {
    this.#log.exited(end, this.#moment);
  }

  /** A flood of marks must not take the agent's time, nor hide those of our script. */
  #isWanted(data: Buffer): boolean {
    const nonce = this.#nonce;
    if (nonce !== null && data.length > nonce.length && data.includes(nonce)) return true;
    return !this.#log.isVerified && this.#budget.take(this.#clock.now());
  }

  get #moment(): Moment {
    return { date: new Date(), now: this.#clock.now() };
  }
}
