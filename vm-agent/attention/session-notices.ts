/**
 * Notices what a person who is not there would want to know of a session, and keeps it until they look: what its
 * program says, how long commands and the program itself end, and, as a guess, that a program waits for input.
 *
 * The guess is made only when something was printed while nobody looked, and then nothing for a moment. It is not made
 * for programs that draw the whole screen: they always read. In a terminal that takes lines, the last line must be
 * unfinished, because a question ends without a newline; servers that also take commands end their lines.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Attention } from '../../protocol/messages/attention.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { SavedAttention } from '../disk/metadata.ts';
import type { Exit } from '../pty/pty.ts';
import type { InputWait } from '../pty/waiting-for-input.ts';
import type { ScreenNotice } from '../screen/screen-options.ts';
import { commandEnded, programEnded, waitingText } from './noted-texts.ts';
import { OutputRecord } from './output-record.ts';
import { QuietWatch } from './quiet-watch.ts';
import { type Noted, SessionAttention } from './session-attention.ts';

/**
 * Whether the program in the foreground of a session waits. `pid` is the leader of the session, and `ownShellCounts`
 * says whether it may be that one, which is a shell.
 */
export type LookForWait = (pid: number, ownShellCounts: boolean) => Promise<InputWait>;

/** How often what was noticed is stored at most. */
export const STORE_EVERY_MS = 250;

interface NoticesOptions {
  readonly clock: Clock;
  /** The wall clock. */
  readonly today?: () => Date;
  /** What another agent process has noticed in the same output, and where it ended. */
  readonly saved?: SavedAttention | undefined;
  readonly start: number;
  /** Undefined: nothing is guessed. */
  readonly lookForWait?: LookForWait | undefined;
  /** What the session is doing. */
  readonly session: {
    readonly end: number;
    readonly pid: number;
    /** How its program ended; null while it runs. */
    readonly exit: Exit | null;
    /** Whether its program draws all of the screen. */
    readonly isFullScreen: boolean;
    readonly commands: { readonly isRunning: boolean };
  };
  readonly changed: () => void;
  readonly store: (saved: SavedAttention) => void;
}

const NEWLINE = 0x0a;

export class SessionNotices {
  readonly #options: NoticesOptions;
  readonly #today: () => Date;
  readonly #attention: SessionAttention;
  readonly #quiet: QuietWatch;
  readonly record: OutputRecord;
  #noticesTo: number;
  #commandsTo: number;
  #endsLine = true;
  /** Until something may be stored again. */
  #storing: Cancel | null = null;
  #isUnstored = false;

  constructor(options: NoticesOptions) {
    const { clock, saved, start, today = () => new Date() } = options;
    this.#options = options;
    this.#today = today;
    this.#attention = new SessionAttention(saved?.current ?? null, () => {
      this.#store();
      options.changed();
    });
    this.#noticesTo = saved?.noticesTo ?? 0;
    this.#commandsTo = saved?.commandsTo ?? 0;
    this.#quiet = new QuietWatch(clock, () => void this.#guess());
    this.record = new OutputRecord(today().getTime(), start);
  }

  /** As part of a session's description. */
  get described(): { readonly attention?: Attention } {
    const { current } = this.#attention;
    return current === null ? {} : { attention: current };
  }

  /** A person sees the session, or nobody does. */
  look(isLookedAt: boolean): void {
    this.#attention.look(isLookedAt);
    if (isLookedAt) this.#quiet.stop();
  }

  /** Called for every read of the terminal. */
  printed(offset: number, bytes: Uint8Array): void {
    this.record.printed(this.#today().getTime(), offset + bytes.length);
    this.#endsLine = bytes.at(-1) === NEWLINE;
    if (this.#options.lookForWait !== undefined && !this.#attention.isLookedAt) this.#quiet.printed();
  }

  /** The program calls a person. */
  noticed({ text, isLow, offset }: ScreenNotice): void {
    this.#noticesTo = Math.max(this.#noticesTo, offset);
    this.#note({ state: isLow ? 'done' : 'asks', text, offset });
    this.#store();
  }

  commandEnded(command: SessionCommand): void {
    const offset = command.outputTo ?? 0;
    if (offset < this.#commandsTo) return;
    this.#commandsTo = offset + 1;
    // Whatever waited was part of the command.
    this.#attention.withdrawGuess();
    const ended = commandEnded(command);
    if (ended !== null) this.#note({ ...ended, offset });
    this.#store();
  }

  exited(exit: Exit): void {
    const { end } = this.#options.session;
    this.#quiet.stop();
    this.#attention.withdrawGuess();
    if (end + 1 < this.#commandsTo) return;
    this.#commandsTo = end + 2;
    this.#note({ ...programEnded(exit), offset: end });
    this.#store();
  }

  stop(): void {
    this.#quiet.stop();
    this.#storing?.();
  }

  #note(noted: Noted): void {
    this.#attention.note(noted, this.#today());
  }

  async #guess(): Promise<void> {
    const { lookForWait, session } = this.#options;
    const { end } = session;
    if (session.exit !== null || session.isFullScreen || lookForWait === undefined)
      return this.#attention.withdrawGuess();
    const wait = await lookForWait(session.pid, session.commands.isRunning);
    // It went on meanwhile, and is looked at again when it is quiet.
    if (session.end !== end || session.exit !== null) return;
    if (!this.#isQuestion(wait)) return this.#attention.withdrawGuess();
    this.#note({ state: 'asks', text: waitingText(wait), offset: end, guessed: true });
  }

  #isQuestion({ waits, isOwnShell, takesLines }: InputWait): boolean {
    if (!waits || (isOwnShell && !this.#options.session.commands.isRunning)) return false;
    return !takesLines || !this.#endsLine;
  }

  /** At once, because this process may be killed before others are told; but not for each of many notices. */
  #store(): void {
    this.#isUnstored = true;
    if (this.#storing === null) this.#storeNow();
  }

  #storeNow(): void {
    this.#storing = null;
    if (!this.#isUnstored) return;
    this.#isUnstored = false;
    this.#options.store({
      current: this.#attention.current,
      noticesTo: this.#noticesTo,
      commandsTo: this.#commandsTo,
    });
    this.#storing = this.#options.clock.after(STORE_EVERY_MS, () => this.#storeNow());
  }
}
