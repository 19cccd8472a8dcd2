/** A screen like a page's that reports when its input is shown. */
import xterm from '@xterm/headless';
import type { Screen } from '../../client/screen.ts';
import type { Size } from '../../protocol/frame.ts';
import { SIZE } from '../contenders/client-side.ts';

export class ShownScreen implements Screen {
  readonly #terminal = new xterm.Terminal({ ...SIZE, scrollback: 5000, allowProposedApi: true });
  /** How often the screen was reset: for the screen, then for the history above it. */
  beginnings = 0;
  #begun: () => void = () => {};

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#terminal.write(bytes, shown);
    this.#begun();
  }

  reset(): void {
    this.beginnings++;
    this.#terminal.write('', () => this.#terminal.reset());
  }

  resize({ cols, rows }: Size): void {
    this.#terminal.write('', () => this.#terminal.resize(cols, rows));
  }

  /** Resolves when something was written after the `count`th reset. */
  async begins(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => this.beginnings >= count && resolve();
      this.#begun = look;
      look();
    });
  }

  /** Resolves when everything written is shown. */
  async shown(): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
  }

  /** Lines that can be scrolled to, including those of the screen. */
  get lines(): number {
    return this.#terminal.buffer.active.length;
  }
}
