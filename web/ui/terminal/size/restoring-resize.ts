/**
 * Resizes the terminal of a page. If xterm fails to and the terminal had to be emptied, the agent is asked for the screen:
 * it may have resized its own terminal without a failure, and has the output that arrived meanwhile in any case.
 */
import type { Size } from '../../../../protocol/frame.ts';
import { type ResizedCore, resizeTerminal } from '../../../../protocol/terminal/resizing.ts';

export class RestoringResize {
  readonly #terminal: Parameters<typeof resizeTerminal>[0];
  readonly #core: ResizedCore;
  readonly #emptied: () => void;
  #wasEmptied = false;

  constructor(terminal: Parameters<typeof resizeTerminal>[0], core: ResizedCore, emptied: () => void) {
    this.#terminal = terminal;
    this.#core = core;
    this.#emptied = emptied;
  }

  /** A screen comes with a size of its own. If that fails too, asking once more would not end. */
  resize(size: Size): void {
    const isEmptied = resizeTerminal(this.#terminal, this.#core, size);
    if (isEmptied && !this.#wasEmptied) this.#emptied();
    this.#wasEmptied = isEmptied;
  }
}
