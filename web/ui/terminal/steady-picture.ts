/**
 * Keeps the current picture on screen until the next one is ready. xterm clears its rows as soon as it is reset or
 * resized, and draws them later: without this, a blank screen would flash whenever one screen replaces another.
 */
import type { Terminal } from '@xterm/xterm';

interface Renderer {
  clear(): void;
  renderRows(start: number, end: number): void;
}

/**
 * Access to xterm's renderer, and to the flag that makes it wait (DEC mode 2026). Neither has a public API. If they are
 * not found, the picture flickers, or is drawn only when xterm ends the wait after a second; it is correct either way.
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
   * Stops clearing and drawing until `release`, which the caller must call in the end. DEC mode 2026 alone is not
   * enough: a reset ends it and clears the selection, and for that xterm's DOM renderer draws all rows in the next
   * frame, whatever the mode.
   */
  hold(): void {
    this.#letDraw();
    const renderer = this.#core._renderService?._renderer?.value;
    if (renderer === undefined) return;
    renderer.clear = () => {};
    renderer.renderRows = () => {};
    this.#held = renderer;
  }

  /** Draws everything now, even if the program has asked to wait: its next update may take a while. */
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
    // Deletes the overrides, which uncovers the methods of the class again.
    for (const name of ['clear', 'renderRows'])
      if (this.#held !== null) Reflect.deleteProperty(this.#held, name);
    this.#held = null;
  }
}
