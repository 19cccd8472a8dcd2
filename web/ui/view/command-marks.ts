/**
 * What the page tells about the command whose mark the user points at or has chosen, and what it does with the command.
 */
import type { Tabs } from '../tabs/tabs.ts';
import { statusText } from '../terminal/marks/command-status.ts';
import type { PointedMark } from '../terminal/marks/mark-events.ts';
import type { MarkedCommand } from '../terminal/marks/xterm-marks.ts';
import type { XtermScreen } from '../terminal/xterm-screen.ts';
import { type CommandTime, type CommandTimes, commandTimeText } from '../text/command-times.ts';
import { runningProgram } from './shells.ts';

interface CommandMarksOptions {
  readonly windowTabs: Tabs;
  /** The terminal of a tab, once it has one. */
  readonly screen: (key: string | null) => XtermScreen | undefined;
  readonly commandTimes: CommandTimes;
  readonly changed: () => void;
  readonly now: () => Date;
}

/** All that is told of one command. */
export interface CommandTip extends PointedMark {
  /** The key of its tab. */
  readonly tab: string;
  /** The command, or what it is called without its text. */
  readonly title: string;
  /** How it ended and when it ran. */
  readonly details: string;
}

type Pointed = PointedMark & { readonly tab: string };

export class CommandMarks {
  readonly #options: CommandMarksOptions;
  /** The times of one session, until a command begins or ends in it. */
  #times: { readonly session: string; readonly byNumber: ReadonlyMap<number, CommandTime> } | null = null;
  /** The session whose times are being asked for. */
  #asked: string | null = null;
  #pointed: Pointed | null = null;
  #opened: Pointed | null = null;
  /** A command to go to, once its mark is on the screen. */
  #wanted: { readonly tab: string; readonly number: number } | null = null;

  constructor(options: CommandMarksOptions) {
    this.#options = options;
  }

  get tip(): CommandTip | null {
    return this.#tipOf(this.#pointed);
  }

  get menu(): CommandTip | null {
    return this.#tipOf(this.#opened);
  }

  point(tab: string, mark: PointedMark | null): void {
    if (mark === null && this.#pointed === null) return;
    this.#pointed = mark === null ? null : { ...mark, tab };
    this.#learn(tab);
    this.#options.changed();
  }

  open(tab: string, mark: PointedMark): void {
    this.#opened = { ...mark, tab };
    this.#pointed = null;
    this.#learn(tab);
    this.#options.changed();
  }

  close(): void {
    this.#opened = null;
    this.#options.changed();
  }

  /**
   * Scrolls to the command with this number. A terminal that was hidden gets its output in a moment, and its history a
   * moment later; until then the command is looked for with every mark that comes.
   */
  goTo(tab: string, number: number): void {
    this.#wanted = { tab, number };
    this.#goToWanted(tab);
  }

  /** A command began or ended. The page asks again when somebody looks. */
  marked(tab: string): void {
    this.#goToWanted(tab);
    if (this.#times?.session === this.#session(tab)) this.#times = null;
    if (this.#pointed === null && this.#opened === null) return;
    this.#learn(tab);
    this.#options.changed();
  }

  // ── What can be done with a command ──────────────────────────────────────────────────────────────

  /** Whether this command can be run again at all: its text is proven, and the user may type. */
  isRepeatable({ tab, command }: Pointed): boolean {
    const found = this.#found(tab, command);
    return this.#options.windowTabs.mayType && found?.number != null && found.commandLine !== null;
  }

  /** Whether its shell waits for a command now, and would take this one as one piece. */
  canRepeat(tip: Pointed): boolean {
    const screen = this.#options.screen(tip.tab);
    const session = this.#options.windowTabs.flow(tip.tab)?.session;
    const foreground = session?.description?.foreground ?? null;
    if (!this.isRepeatable(tip) || session?.state.name !== 'live' || foreground === null) return false;
    if (runningProgram(foreground) !== null || screen?.marks.isAtPrompt !== true) return false;
    const line = this.#found(tip.tab, tip.command)?.commandLine ?? '';
    return screen.isBracketed || !line.includes('\n');
  }

  /** Checks again, because the menu may have been open for a while. */
  repeat(tip: Pointed): void {
    const screen = this.#options.screen(tip.tab);
    const line = this.#found(tip.tab, tip.command)?.commandLine ?? null;
    if (line !== null && this.canRepeat(tip)) screen?.marks.run(line);
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  #goToWanted(tab: string): void {
    const wanted = this.#wanted;
    if (wanted?.tab !== tab) return;
    if (this.#options.screen(tab)?.marks.goToNumber(wanted.number) === true) this.#wanted = null;
  }

  #found(tab: string, command: number): MarkedCommand | null {
    return this.#options.screen(tab)?.marks.command(command) ?? null;
  }

  #session(tab: string): string | null {
    return this.#options.windowTabs.flow(tab)?.session?.id ?? null;
  }

  #tipOf(pointed: Pointed | null): CommandTip | null {
    const found = pointed === null ? null : this.#found(pointed.tab, pointed.command);
    if (pointed === null || found === null) return null;
    const time = this.#times?.session === this.#session(pointed.tab) ? this.#times : null;
    const ran = found.number === null ? undefined : time?.byNumber.get(found.number);
    const details = [
      statusText(found.status, found.exitCode),
      ...(ran === undefined ? [] : [commandTimeText(ran, this.#options.now())]),
    ];
    return { ...pointed, title: found.commandLine ?? 'Command', details: details.join(' · ') };
  }

  #learn(tab: string): void {
    const session = this.#session(tab);
    if (session === null || session === this.#asked || session === this.#times?.session) return;
    this.#asked = session;
    void this.#options.commandTimes(session).then((byNumber) => {
      this.#asked = null;
      this.#times = { session, byNumber };
      this.#options.changed();
    });
  }
}
