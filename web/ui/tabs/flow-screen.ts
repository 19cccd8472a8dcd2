/** The screen of one tab: how much room it has, and whose output it shows. */
import type { Size } from '../../../protocol/frame.ts';
import { isSameSize, type SizedScreen } from '../terminal/size/sized-screen.ts';
import { dividerSentence } from '../text/divider-sentence.ts';

export class FlowScreen {
  #screen: SizedScreen | null = null;
  #size: Size = { cols: 80, rows: 24 };
  /** Epoch of the agent whose session is on the screen; null when the screen shows none. */
  #shownEpoch: string | null = null;

  /** Null until the tab has a terminal on the page. */
  get screen(): SizedScreen | null {
    return this.#screen;
  }

  /** The size that fits the window. */
  get size(): Size {
    return this.#size;
  }

  mounted(screen: SizedScreen, size: Size): void {
    this.#screen = screen;
    this.#size = size;
  }

  /** False when this is no other size. */
  fitted(size: Size): boolean {
    if (isSameSize(size, this.#size)) return false;
    this.#size = size;
    return true;
  }

  /** Resolves once the screen has parsed everything written to it. */
  parsed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#screen === null) resolve();
      else this.#screen.write(new Uint8Array(0), resolve);
    });
  }

  /**
   * Makes room for a session of the agent's `epoch`. Returns true when its output goes below what is shown, which it
   * does when it is new and replaces that.
   */
  begin(screen: SizedScreen, epoch: string, isNew: boolean): boolean {
    const isBelow = isNew && this.#shownEpoch !== null;
    if (isBelow) screen.divide(dividerSentence(this.#shownEpoch !== epoch, new Date()));
    else screen.reset();
    this.#shownEpoch = epoch;
    return isBelow;
  }
}
