/**
 * The commands of a terminal and the rows where they are, from the marks of its shell. Pure: rows are numbers, and
 * whoever owns the terminal reports what happens to its rows.
 *
 *   promptRow ─►  $ make
 *   outputRow ─►  cc -o prog prog.c
 *   endRow    ─►  $ ▒              the first row after the output; if that does not end with a newline, its last row
 *
 * Invariant: rows never decrease, from prompt to end and from one command to the next. So the marks can be written
 * row by row, and a terminal that reads them has the same commands. A cursor that has gone up and makes a mark there
 * overwrites what was below: commands that begin below are forgotten.
 */
import { COMMAND_LINES_KEPT_MAX_CHARS, COMMANDS_KEPT } from '../../limits.ts';
import type { Mark } from './mark.ts';

/** A command, or the prompt that waits for one. */
export interface CommandRow {
  /** Tells the commands of one terminal apart. It is not written. */
  readonly key: number;
  readonly promptRow: number;
  /** Null: the prompt still waits for a command. */
  readonly outputRow: number | null;
  /** Null: the command runs, or its end was not reported. */
  readonly endRow: number | null;
  /** How many cells of the end row belong to the output; the last column stands for the whole row. */
  readonly endColumn: number;
  /** Null: not reported. */
  readonly exitCode: number | null;
  /** The number of the command in its session; null if its marks are not verified. */
  readonly number: number | null;
  readonly commandLine: string | null;
}

/** All there is, for code that writes or shows it. */
export interface MarkState {
  /** Whether the marks are verified: those that are not count only until the first one that is. */
  readonly isVerified: boolean;
  /** Oldest first. */
  readonly commands: readonly CommandRow[];
  /** The text of the command that is accepted next. */
  readonly commandLine: string | null;
}

/** Where the cursor is when a mark arrives. */
export interface MarkPlace {
  readonly row: number;
  /** From 0; `cols` if the next character would go to the next row. */
  readonly column: number;
  readonly cols: number;
}

/** Rows are kept as if none had ever been trimmed, so that trimming changes one number only. */
interface Kept extends CommandRow {
  promptRow: number;
  outputRow: number | null;
  endRow: number | null;
  endColumn: number;
  exitCode: number | null;
  number: number | null;
  commandLine: string | null;
}

export class CommandRows {
  #commands: Kept[] = [];
  #trimmed = 0;
  #nextKey = 1;
  #isVerified = false;
  #commandLine: string | null = null;

  get isVerified(): boolean {
    return this.#isVerified;
  }

  /** Whether the shell has shown a prompt and no command was accepted since. */
  get isAtPrompt(): boolean {
    return this.#commands.at(-1)?.outputRow === null;
  }

  get isEmpty(): boolean {
    return this.#commands.length === 0;
  }

  get state(): MarkState {
    const commands = this.#commands.map((kept) => ({
      ...kept,
      promptRow: kept.promptRow - this.#trimmed,
      outputRow: kept.outputRow === null ? null : kept.outputRow - this.#trimmed,
      endRow: kept.endRow === null ? null : kept.endRow - this.#trimmed,
    }));
    return { isVerified: this.#isVerified, commands, commandLine: this.#commandLine };
  }

  /**
   * `nonce` is the session's. `place` is null on the alternate screen, where marks have no rows. False if the mark does
   * not count, because verified ones have come before.
   */
  take(mark: Mark, nonce: string | null, place: MarkPlace | null): boolean {
    const isVerified = nonce !== null && mark.nonce === nonce;
    if (this.#isVerified && !isVerified) return false;
    if (isVerified && !this.#isVerified) {
      this.clear();
      this.#isVerified = true;
    }
    if (place === null) return true;
    if (mark.kind === 'prompt') this.#promptAt(place.row + this.#trimmed);
    else if (mark.kind === 'command') this.#commandLine = mark.commandLine;
    else if (mark.kind === 'output') this.#accept(mark, place);
    else if (mark.kind === 'end') this.#end(mark, place);
    return true;
  }

  /** Forgets the commands. That there were verified marks is not forgotten: a printed reset must not allow others. */
  clear(): void {
    this.#commands = [];
    this.#commandLine = null;
  }

  /** Another session begins. */
  begin(): void {
    this.clear();
    this.#isVerified = false;
  }

  // ── What happens to rows ─────────────────────────────────────────────────────────────────────────

  /** The oldest rows are gone. It runs for every line that scrolls. */
  trimmed(rows: number): void {
    this.#trimmed += rows;
    while (this.#commands.length > 0 && (this.#commands[0]?.promptRow ?? 0) < this.#trimmed)
      this.#commands.shift();
  }

  inserted(at: number, rows: number): void {
    const from = at + this.#trimmed;
    this.#move((row) => (row < from ? row : row + rows));
  }

  /** A command goes with its prompt. If only its output is deleted, that ends above. */
  deleted(at: number, rows: number): void {
    const from = at + this.#trimmed;
    const to = from + rows;
    this.#commands = this.#commands.filter(({ promptRow }) => promptRow < from || promptRow >= to);
    this.#move((row) => (row < from ? row : row < to ? from - 1 : row - rows));
  }

  /**
   * A row was erased, with the cursor in `cursorRow`. A prompt that waits for a command is printed again by its shell,
   * which has cleared the screen and continues at the cursor.
   */
  erased(erasedRow: number, cursorRow: number): void {
    const row = erasedRow + this.#trimmed;
    const waits = this.isAtPrompt && this.#commands.at(-1)?.promptRow === row;
    let at = this.#commands.length - 1;
    while (at >= 0 && (this.#commands[at] as Kept).promptRow > row) at--;
    for (; at >= 0 && (this.#commands[at] as Kept).promptRow === row; at--) this.#commands.splice(at, 1);
    if (waits) this.#promptAt(cursorRow + this.#trimmed);
  }

  /** The terminal has this size now. */
  resized(rows: number, cols: number): void {
    const end = rows + this.#trimmed;
    this.#commands = this.#commands.filter(({ promptRow }) => promptRow < end);
    this.#move((row) => Math.min(row, end - 1));
    for (const kept of this.#commands) kept.endColumn = Math.min(kept.endColumn, cols - 1);
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  /** A prompt that was left without a command, or is printed again, is only kept once. */
  #promptAt(row: number): void {
    if (this.isAtPrompt) this.#commands.pop();
    this.#overwrite(row);
    this.#add(row);
    this.#commandLine = null;
  }

  #accept(mark: Mark, { row, column }: MarkPlace): void {
    const outputRow = row + this.#trimmed;
    this.#overwrite(outputRow);
    if (!this.isAtPrompt) {
      // The prompt has scrolled away, or the shell does not report prompts: it was in the row above.
      const above = column === 0 && row > 0 ? outputRow - 1 : outputRow;
      this.#add(Math.max(above, lastRowOf(this.#commands.at(-1))));
    }
    const command = this.#commands.at(-1) as Kept;
    command.outputRow = outputRow;
    command.number = this.#isVerified ? mark.number : null;
    command.commandLine = mark.commandLine ?? this.#commandLine;
    this.#commandLine = null;
    this.#boundLines();
  }

  #end(mark: Mark, { row, column, cols }: MarkPlace): void {
    const endRow = row + this.#trimmed;
    this.#overwrite(endRow);
    const last = this.#commands.at(-1);
    if (last === undefined || last.outputRow === null || last.endRow !== null) return;
    if (mark.number !== null && last.number !== null && mark.number !== last.number) return;
    last.endRow = endRow;
    last.endColumn = Math.min(column, cols - 1);
    last.exitCode = mark.exitCode;
  }

  #add(promptRow: number): void {
    if (this.#commands.length === COMMANDS_KEPT) this.#commands.shift();
    const rest = { key: this.#nextKey++, endColumn: 0, exitCode: null, number: null, commandLine: null };
    this.#commands.push({ promptRow, outputRow: null, endRow: null, ...rest });
  }

  /** A mark was made in `row`: what is below is overwritten. */
  #overwrite(row: number): void {
    while ((this.#commands.at(-1)?.promptRow ?? -1) > row) this.#commands.pop();
    for (let at = this.#commands.length - 1; at >= 0; at--) {
      const kept = this.#commands[at] as Kept;
      if (lastRowOf(kept) <= row) return;
      if (kept.outputRow !== null) kept.outputRow = Math.min(kept.outputRow, row);
      if (kept.endRow !== null) kept.endRow = Math.min(kept.endRow, row);
    }
  }

  /** `to` must keep the order of rows. */
  #move(to: (row: number) => number): void {
    for (const kept of this.#commands) {
      kept.promptRow = to(kept.promptRow);
      if (kept.outputRow !== null) kept.outputRow = to(kept.outputRow);
      if (kept.endRow !== null) kept.endRow = to(kept.endRow);
    }
  }

  #boundLines(): void {
    let chars = 0;
    for (let at = this.#commands.length - 1; at >= 0; at--) {
      const kept = this.#commands[at] as Kept;
      chars += kept.commandLine?.length ?? 0;
      if (chars > COMMAND_LINES_KEPT_MAX_CHARS) kept.commandLine = null;
    }
  }
}

function lastRowOf(command: CommandRow | undefined): number {
  return command?.endRow ?? command?.outputRow ?? command?.promptRow ?? -1;
}
