/** The lines above a terminal's screen: forgotten on request, here only. */
import type { Terminal } from '@xterm/xterm';

/** As many as the agent's screen keeps by default. */
export const SCROLLBACK_LINES = 5_000;

export class XtermHistory {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** False while a full-screen program draws, whose screen has no history. */
  get isShown(): boolean {
    return this.#terminal.buffer.active.type === 'normal';
  }

  /**
   * The screen itself stays: if it differed from the agent's, a program would print in the wrong place. Not a sequence
   * that is written: the output may end inside one.
   */
  clear(): void {
    // Behind the writes that wait to be parsed.
    this.#terminal.write('', () => {
      this.#terminal.options.scrollback = 0;
      this.#terminal.options.scrollback = SCROLLBACK_LINES;
    });
  }
}
