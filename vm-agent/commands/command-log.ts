/**
 * The commands that people ran in a session, told by the marks of its shell.
 *
 *                 A              B, E             C
 *   (anything) ──────► prompt ─────────► typed ───────► running ── D ──► ended
 *                        └──────────────── C ─────────────▲
 *
 * Marks may be missing, doubled or made up by what a program prints, so every mark is possible in every state: a prompt
 * or a further C ends a command without a known exit code, and a D without a command says nothing.
 *
 * Marks with the session's nonce are verified. From the first of them on, all others are ignored.
 */
import { COMMAND_LINES_KEPT_MAX_CHARS, COMMANDS_KEPT } from '../../protocol/limits.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { FoundMark } from './mark-scanner.ts';
import { nextCommandNumber, type StoredCommands } from './stored-commands.ts';

/** The same moment on both clocks: a jump of the wall clock must not change a duration. */
export interface Moment {
  readonly date: Date;
  /** Milliseconds of a monotonic clock. */
  readonly now: number;
}

interface CommandLogOptions {
  /** Proves that a mark is of our own script; null if the session has none. */
  readonly nonce: string | null;
  /** The commands from before the agent was restarted; their output is gone. */
  readonly earlier: StoredCommands | undefined;
  /** What another agent process has found in the same output. */
  readonly saved?: SavedCommandLog | undefined;
  /** The present, if there is something saved. */
  readonly moment?: Moment;
  readonly ended?: ((command: SessionCommand) => void) | undefined;
}

/** Everything a log knows, for another agent process that reads the same output. */
export interface SavedCommandLog {
  readonly commands: readonly SessionCommand[];
  readonly state: State;
  readonly isVerified: boolean;
  readonly nextNumber: number;
  /** When it was saved: milliseconds of both clocks. */
  readonly savedAt: { readonly date: number; readonly now: number };
}

type State =
  | { readonly name: 'idle' }
  | { readonly name: 'prompt' }
  /** The command line, if the shell has told it. */
  | { readonly name: 'typed'; readonly commandLine: string | null }
  | {
      readonly name: 'running';
      readonly command: SessionCommand;
      readonly since: number;
      /** The number in its mark. */
      readonly marked: number | null;
    };

const IDLE: State = { name: 'idle' };
const PROMPT: State = { name: 'prompt' };

export class CommandLog {
  readonly #nonce: string | null;
  readonly #ended: ((command: SessionCommand) => void) | undefined;
  /** Oldest first; the last one may be running. */
  #commands: SessionCommand[];
  #state: State = IDLE;
  #isVerified: boolean;
  #nextNumber: number;
  /** Length of all command lines. */
  #chars = 0;
  #prompts = 0;
  #version = 0;

  constructor({ nonce, earlier, saved, moment, ended }: CommandLogOptions) {
    const { list } = earlier ?? { list: [] };
    this.#nonce = nonce;
    this.#ended = ended;
    this.#commands = [];
    this.#nextNumber = nextCommandNumber(earlier);
    this.#isVerified = nonce !== null && list.some(({ verified }) => verified);
    if (saved === undefined || moment === undefined) {
      for (const command of list) this.#add({ ...command, outputFrom: null, outputTo: null });
      return;
    }
    for (const command of saved.commands) this.#add(command);
    this.#nextNumber = saved.nextNumber;
    this.#isVerified = saved.isVerified;
    this.#state = continued(saved, moment);
  }

  save({ date, now }: Moment): SavedCommandLog {
    return {
      commands: this.#commands,
      state: this.#state,
      isVerified: this.#isVerified,
      nextNumber: this.#nextNumber,
      savedAt: { date: date.getTime(), now },
    };
  }

  /** Oldest first. */
  get commands(): readonly SessionCommand[] {
    return this.#commands;
  }

  /** The number of the next command, unless its mark tells a higher one. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Whether only verified marks count. */
  get isVerified(): boolean {
    return this.#isVerified;
  }

  /** Whether the shell waits for a command, as far as marks tell; undefined if none have told. */
  get isAtPrompt(): boolean | undefined {
    if (!this.#isVerified) return undefined;
    return this.#state.name === 'prompt' || this.#state.name === 'typed';
  }

  /** Counts the prompts. */
  get prompts(): number {
    return this.#prompts;
  }

  /** The command that runs, as far as verified marks tell. */
  get running(): SessionCommand | undefined {
    return this.#isVerified && this.#state.name === 'running' ? this.#commands.at(-1) : undefined;
  }

  get isRunning(): boolean {
    return this.#state.name === 'running';
  }

  /** Counts changes. */
  get version(): number {
    return this.#version;
  }

  /** Undefined if it is not known, or no longer. */
  find(number: number): SessionCommand | undefined {
    return this.#commands.findLast((command) => command.number === number);
  }

  see({ mark, from, to }: FoundMark, moment: Moment): void {
    const isVerified = this.#nonce !== null && mark.nonce === this.#nonce;
    if (!isVerified && this.#isVerified) return;
    if (isVerified && !this.#isVerified) {
      // What was told until now, anything printed could have told.
      this.#finish(null, from, moment);
      this.#isVerified = true;
    }
    switch (mark.kind) {
      case 'prompt':
        this.#finish(null, from, moment);
        this.#prompts++;
        this.#state = PROMPT;
        return;
      case 'input':
        if (this.#state.name === 'idle' || this.#state.name === 'prompt')
          this.#state = { name: 'typed', commandLine: null };
        return;
      case 'command':
        if (this.#state.name !== 'running') this.#state = { name: 'typed', commandLine: mark.commandLine };
        return;
      case 'output': {
        const told = this.#state.name === 'typed' ? this.#state.commandLine : null;
        this.#finish(null, from, moment);
        this.#start({ commandLine: mark.commandLine ?? told, marked: mark.number, to, isVerified }, moment);
        return;
      }
      case 'end':
        if (this.#state.name !== 'running') return;
        if (mark.number !== null && this.#state.marked !== null && mark.number !== this.#state.marked) return;
        this.#finish(mark.exitCode, from, moment);
    }
  }

  /** The program has ended, and the command that ran with it. */
  exited(end: number, moment: Moment): void {
    this.#finish(null, end, moment);
  }

  #start(
    begun: { commandLine: string | null; marked: number | null; to: number; isVerified: boolean },
    { date, now }: Moment,
  ): void {
    const { commandLine, isVerified, marked, to } = begun;
    // Numbers of our script only grow. Those of others are not believed: a single huge one would be the last.
    const number = isVerified && marked !== null && marked > this.#nextNumber ? marked : this.#nextNumber;
    this.#nextNumber = number + 1;
    const command: SessionCommand = {
      number,
      commandLine,
      startedAt: date.toISOString(),
      durationMs: null,
      exitCode: null,
      outputFrom: to,
      outputTo: null,
      verified: isVerified,
    };
    this.#add(command);
    this.#state = { name: 'running', command, since: now, marked };
  }

  #finish(exitCode: number | null, outputTo: number, { now }: Moment): void {
    if (this.#state.name !== 'running') {
      this.#state = IDLE;
      return;
    }
    const { command, since } = this.#state;
    this.#state = IDLE;
    this.#version++;
    const durationMs = Math.max(0, Math.round(now - since));
    // Its text may have been dropped meanwhile.
    const { commandLine } = this.#commands.at(-1) ?? command;
    const ended = { ...command, commandLine, exitCode, outputTo, durationMs };
    this.#commands[this.#commands.length - 1] = ended;
    this.#ended?.(ended);
  }

  #add(command: SessionCommand): void {
    this.#version++;
    this.#commands.push(command);
    this.#chars += charsOf(command);
    while (this.#commands.length > COMMANDS_KEPT) this.#chars -= charsOf(this.#commands.shift());
    for (let at = 0; this.#chars > COMMAND_LINES_KEPT_MAX_CHARS; at++) {
      const oldest = this.#commands[at] as SessionCommand;
      this.#chars -= charsOf(oldest);
      this.#commands[at] = { ...oldest, commandLine: null };
    }
  }
}

/** Another process has another monotonic clock, so the duration so far is measured by the wall clock. */
function continued({ state, savedAt }: SavedCommandLog, { date, now }: Moment): State {
  if (state.name !== 'running') return state;
  const ranMs = savedAt.now - state.since + Math.max(0, date.getTime() - savedAt.date);
  return { ...state, since: now - ranMs };
}

function charsOf(command: SessionCommand | undefined): number {
  return command?.commandLine?.length ?? 0;
}
