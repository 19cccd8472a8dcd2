/** The commands of one session, found in what its program prints. */
import type { Clock } from '../../protocol/clock.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import { CommandLog, type Moment } from './command-log.ts';
import { MarkBudget } from './mark-budget.ts';
import { MarkScanner } from './mark-scanner.ts';
import { type StoredCommand, type StoredCommands, storedList } from './stored-commands.ts';

interface SessionCommandsOptions {
  readonly clock: Clock;
  /** Proves that a mark is of our own script; null if the session has none. */
  readonly nonce: string | null;
  /** The commands from before the agent was restarted. */
  readonly earlier: StoredCommands | undefined;
}

export class SessionCommands {
  readonly #clock: Clock;
  readonly #log: CommandLog;
  readonly #scanner: MarkScanner;
  readonly #budget: MarkBudget;
  readonly #nonce: Buffer | null;

  constructor({ clock, nonce, earlier }: SessionCommandsOptions) {
    this.#clock = clock;
    this.#log = new CommandLog({ nonce, earlier });
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

  find(number: number): SessionCommand | undefined {
    return this.#log.find(number);
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
    this.#scanner.scan(offset, bytes);
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
