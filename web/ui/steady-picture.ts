/**
 * Keeps what a terminal shows until it shows something else. xterm empties its rows as soon as it is reset or resized, and
 * draws them when it gets to it: a screen that replaces another would be preceded by a blank one.
 */
import type { Terminal } from '@xterm/xterm';

interface Renderer {
  clear(): void;
}

/** The way to what draws. It has no public one; where it is not to be found, the picture flickers and is right. */
interface Core {
  readonly _renderService?: { readonly _renderer?: { readonly value?: Renderer } };
}

export class SteadyPicture {
  readonly #terminal: Terminal;
  #held: Renderer | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** From now on nothing is emptied, only drawn over: whoever holds sees to it that everything is drawn in the end. */
  hold(): void {
    this.release();
    const { _core: core } = this.#terminal as unknown as { readonly _core: Core };
    const renderer = core._renderService?._renderer?.value;
    if (renderer === undefined) return;
    renderer.clear = () => {};
    this.#held = renderer;
  }

  release(): void {
    // What hides the method of its class is taken away again.
    if (this.#held !== null) Reflect.deleteProperty(this.#held, 'clear');
    this.#held = null;
  }
}
