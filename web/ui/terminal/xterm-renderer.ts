/**
 * Draws with WebGL where that works, else with xterm's DOM renderer. Browsers allow few graphics contexts, so only the
 * visible terminal holds one. The WebGL code is loaded after the first screen has been painted.
 */
import type { Terminal } from '@xterm/xterm';
import { separateTextBesideBoxes } from './text-beside-boxes.ts';

interface Context {
  dispose(): void;
}

export class XtermRenderer {
  readonly #terminal: Terminal;
  #mayUseWebgl: boolean;
  #context: Context | null = null;
  #isWanted = false;
  /** Set while the DOM renderer is in use. */
  #unseparate: (() => void) | null;

  constructor(terminal: Terminal, mayUseWebgl: boolean) {
    this.#terminal = terminal;
    this.#mayUseWebgl = mayUseWebgl;
    this.#unseparate = separateTextBesideBoxes(terminal);
  }

  use(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (!isWanted) this.#release();
    else if (this.#mayUseWebgl && this.#context === null) void this.#acquire();
  }

  async #acquire(): Promise<void> {
    try {
      const { WebglAddon } = await import('@xterm/addon-webgl');
      if (!this.#isWanted || this.#context !== null) return;
      const addon = new WebglAddon();
      // The driver crashed, or the browser gave the context to another page: WebGL is not used again.
      addon.onContextLoss(() => this.#doWithout());
      this.#terminal.loadAddon(addon);
      this.#context = addon;
      this.#unseparate?.();
      this.#unseparate = null;
    } catch {
      this.#doWithout();
    }
  }

  #doWithout(): void {
    this.#mayUseWebgl = false;
    this.#release();
  }

  /** xterm returns to its DOM renderer by itself. */
  #release(): void {
    const context = this.#context;
    this.#context = null;
    context?.dispose();
    this.#unseparate ??= separateTextBesideBoxes(this.#terminal);
  }
}
