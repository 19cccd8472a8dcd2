/** The commands of a terminal in the page: their marks in the margin, and going from one to the next. */
import type { Terminal } from '@xterm/xterm';
import type { CommandRow } from '../../../../protocol/terminal/marks/command-rows.ts';
import { type MarkedCore, MarkRows } from '../../../../protocol/terminal/marks/mark-rows.ts';
import { type OutputBuffer, type OutputRange, outputRange, outputText } from './command-output.ts';
import { type CommandStatus, statusOf, statusText } from './command-status.ts';
import type { MarkEvents } from './mark-events.ts';
import { type DrawnMark, MarkMargin } from './mark-margin.ts';

interface XtermMarksOptions {
  /** Null: nothing is drawn. */
  readonly margin: HTMLElement | null;
  readonly events: MarkEvents;
}

/** A command, for what is shown about it. */
export interface MarkedCommand {
  readonly key: number;
  /** Its number in the session; null if its marks are not verified. */
  readonly number: number | null;
  readonly commandLine: string | null;
  readonly status: CommandStatus;
  readonly exitCode: number | null;
}

/** Goes to the end of the line that is being typed, and deletes it; it must not become part of the command. */
const DISCARD_LINE = '\x05\x15';

export class XtermMarks {
  readonly #terminal: Terminal;
  readonly #rows: MarkRows;
  readonly #margin: MarkMargin | null;
  /** The command that the user has gone to, until they type. */
  #current: number | null = null;
  #frame = 0;

  constructor(terminal: Terminal, core: MarkedCore, { margin, events }: XtermMarksOptions) {
    this.#terminal = terminal;
    this.#margin =
      margin === null
        ? null
        : new MarkMargin(margin, {
            pointed: (mark) => events.markPointed(mark),
            chosen: (mark) => events.markChosen(mark),
          });
    this.#rows = new MarkRows(terminal, core, () => {
      events.marked();
      this.#drawSoon();
    });
    terminal.onRender(() => this.#draw());
    terminal.onData(() => this.#goTo(null));
  }

  /** The nonce of the session that is shown. Another one belongs to another session. */
  expect(nonce: string | null): void {
    if (nonce !== this.#rows.nonce) this.#rows.begin(nonce);
  }

  /** The screen begins anew. */
  begin(): void {
    this.#rows.begin(this.#rows.nonce);
  }

  /** Whether there are commands to go to. */
  get canJump(): boolean {
    return this.#isShown && this.#commands.length > 0;
  }

  /** Whether a verified prompt waits for a command. */
  get isAtPrompt(): boolean {
    return this.#isShown && this.#rows.isAtPrompt && this.#rows.state.isVerified;
  }

  /** The command that the user has gone to, else the last one. */
  get chosen(): MarkedCommand | null {
    const { key } = this.#row(this.#current) ?? this.#commands.at(-1) ?? {};
    return key === undefined ? null : this.command(key);
  }

  command(key: number): MarkedCommand | null {
    const row = this.#row(key);
    if (row === undefined) return null;
    const { number, commandLine, exitCode } = row;
    return { key, number, commandLine, exitCode, status: statusOf(row, this.#lastKey === key) };
  }

  /** Scrolls to the prompt before or after the one that the user is at; after the last one, to the end. */
  jump(step: 1 | -1): void {
    if (!this.canJump) return;
    const rows = this.#commands;
    const at = this.#row(this.#current)?.promptRow ?? this.#viewedRow;
    const isBeyond = ({ promptRow }: CommandRow) => (step === 1 ? promptRow > at : promptRow < at);
    const target = step === 1 ? rows.find(isBeyond) : rows.findLast(isBeyond);
    if (target !== undefined) this.#terminal.scrollToLine(target.promptRow);
    else if (step === 1) this.#terminal.scrollToBottom();
    if (target !== undefined || step === 1) this.#goTo(target?.key ?? null);
  }

  /** Scrolls to the command with this number in the session. False if it is not here. */
  goToNumber(number: number): boolean {
    const find = () =>
      this.#isShown ? this.#commands.find((command) => command.number === number) : undefined;
    if (find() === undefined) return false;
    // Its mark may be part of a replay, at whose end the terminal scrolls to where it was.
    this.#terminal.write('', () => {
      const target = find();
      if (target === undefined) return;
      this.#terminal.scrollToLine(target.promptRow);
      this.#goTo(target.key);
    });
    return true;
  }

  /** Empty if it has printed nothing, or is no longer here. */
  output(key: number): string {
    const range = this.#outputOf(key);
    return range === null ? '' : outputText(range, this.#buffer);
  }

  selectOutput(key: number): void {
    const range = this.#outputOf(key);
    if (range === null) return;
    const { from, to, columns } = range;
    this.#terminal.select(0, from, (to - from) * this.#terminal.cols + columns);
    const { viewportY } = this.#terminal.buffer.active;
    if (from < viewportY || from >= viewportY + this.#terminal.rows) this.#terminal.scrollToLine(from);
  }

  /** Runs a command at the prompt, in place of what is typed there. */
  run(commandLine: string): void {
    this.#terminal.input(DISCARD_LINE, true);
    this.#terminal.paste(commandLine);
    this.#terminal.input('\r', true);
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#margin?.draw([]);
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  /** The alternate screen has no commands. */
  get #isShown(): boolean {
    return this.#terminal.buffer.active.type === 'normal';
  }

  /** Those that were accepted, without the prompt that waits. */
  get #commands(): readonly CommandRow[] {
    return this.#rows.state.commands.filter(({ outputRow }) => outputRow !== null);
  }

  #row(key: number | null): CommandRow | undefined {
    return key === null ? undefined : this.#commands.find((command) => command.key === key);
  }

  get #lastKey(): number | undefined {
    return this.#rows.state.commands.at(-1)?.key;
  }

  #outputOf(key: number): OutputRange | null {
    const { commands } = this.#rows.state;
    const at = commands.findIndex((command) => command.key === key);
    const command = commands[at];
    return command === undefined ? null : outputRange(command, commands[at + 1], this.#buffer);
  }

  get #buffer(): OutputBuffer {
    const { normal } = this.#terminal.buffer;
    const { baseY, cursorX, cursorY } = normal;
    const { cols } = this.#terminal;
    return { cursorRow: baseY + cursorY, cursorX, cols, getLine: (row) => normal.getLine(row) };
  }

  /** Where going up or down begins: the cursor, or the first visible row of the history. */
  get #viewedRow(): number {
    const { baseY, cursorY, viewportY } = this.#terminal.buffer.normal;
    return viewportY < baseY ? viewportY : baseY + cursorY;
  }

  #goTo(key: number | null): void {
    if (key === this.#current) return;
    this.#current = key;
    this.#drawSoon();
  }

  /** A mark is often the last of what was printed, so that nothing else changes on the screen. */
  #drawSoon(): void {
    if (this.#margin === null || this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const margin = this.#margin;
    // While painting is stopped, the marks stay with the picture that is shown.
    if (margin === null || this.#terminal.modes.synchronizedOutputMode) return;
    if (!this.#isShown || this.#rows.isEmpty) {
      if (!margin.isEmpty) margin.draw([]);
      return;
    }
    margin.draw(this.#visible(margin));
  }

  #visible(margin: MarkMargin): DrawnMark[] {
    const screen = this.#terminal.element?.querySelector('.xterm-screen')?.getBoundingClientRect();
    if (screen === undefined || screen.height === 0) return [];
    const { rows } = this.#terminal;
    const { viewportY } = this.#terminal.buffer.active;
    const height = screen.height / rows;
    const offset = screen.top - margin.top;
    const lastKey = this.#lastKey;
    return this.#commands
      .filter(({ promptRow }) => promptRow >= viewportY && promptRow < viewportY + rows)
      .map((row) => {
        const status = statusOf(row, row.key === lastKey);
        return {
          command: row.key,
          status,
          label: `${row.commandLine ?? 'Command'}, ${statusText(status, row.exitCode)}`,
          top: offset + (row.promptRow - viewportY) * height,
          height,
          isCurrent: row.key === this.#current,
        };
      });
  }
}
