/** The commands of one session, found in what its program prints. */
import type { Clock } from '../../protocol/clock.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import { CommandLog, type Moment } from './command-log.ts';
import { MarkScanner } from './mark-scanner.ts';
import { type StoredCommand, storedCommands } from './stored-commands.ts';

interface SessionCommandsOptions {
  readonly clock: Clock;
  /** Proves that a mark is of our own script; null if the session has none. */
  readonly nonce: string | null;
  /** The commands from before the agent was restarted. */
  readonly earlier: readonly StoredCommand[];
}

export class SessionCommands {
  readonly #clock: Clock;
  readonly #log: CommandLog;
  readonly #scanner: MarkScanner;

  constructor({ clock, nonce, earlier }: SessionCommandsOptions) {
    this.#clock = clock;
    this.#log = new CommandLog({ nonce, earlier });
    this.#scanner = new MarkScanner((found) => this.#log.see(found, this.#moment));
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
    return storedCommands(this.#log.commands);
  }

  /** `bytes` were printed at `offset`; they are valid during this call only. */
  printed(offset: number, bytes: Uint8Array): void {
    this.#scanner.scan(offset, bytes);
  }

  /** The program has ended, with its output at `end`. */
  exited(end: number): void {
    this.#log.exited(end, this.#moment);
  }

  get #moment(): Moment {
    return { date: new Date(), now: this.#clock.now() };
  }
}
