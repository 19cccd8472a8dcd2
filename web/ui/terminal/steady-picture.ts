/**
 * Keeps what a terminal shows until it shows something else. xterm empties its rows as soon as it is reset or resized, and
 * draws them when it gets to it: a screen that replaces another would be preceded by a blank one.
 */
import type { Terminal } from '@xterm/xterm';

interface Renderer {
  clear(): void;
  renderRows(start: number, end: number): void;
}

/**
 * The way to what draws, and to whether it waits (DEC mode 2026). There is no public one; where it is not to be found, the
 * picture flickers, or is drawn when xterm itself ends the wait after a second, and is right.
 */
interface Core {
  readonly _renderService?: { readonly _renderer?: { readonly value?: Renderer } };
  readonly coreService?: { readonly decPrivateModes?: { synchronizedOutput: boolean } };
}

export class SteadyPicture {
  readonly #terminal: Terminal;
  #held: Renderer | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /**
   * From now on nothing is emptied or drawn: whoever holds sees to it that everything is drawn in the end. The mode alone is not enough: a reset
   * ends it, and takes away the selection, for which xterm's renderer of elements draws all rows in the next frame, whatever the mode.
   */
  hold(): void {
    this.#letDraw();
    const renderer = this.#core._renderService?._renderer?.value;
    if (renderer === undefined) return;
    renderer.clear = () => {};
    renderer.renderRows = () => {};
    this.#held = renderer;
  }

  /** Draws everything now, also if the program has asked to wait: what it draws next may take a while. */
  release(): void {
    this.#letDraw();
    const modes = this.#core.coreService?.decPrivateModes;
    if (modes !== undefined) modes.synchronizedOutput = false;
    this.#terminal.refresh(0, this.#terminal.rows - 1);
  }

  get #core(): Core {
    return (this.#terminal as unknown as { readonly _core: Core })._core;
  }

  #letDraw(): void {
    // What hides the methods of its class is taken away again.
    for (const name of ['clear', 'renderRows'])
      if (this.#held !== null) Reflect.deleteProperty(this.#held, name);
    this.#held = null;
  }
}
