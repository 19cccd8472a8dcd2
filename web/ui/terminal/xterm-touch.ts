/** Touch input on a terminal: scrolling, tapping links and selecting. */
import type { Terminal } from '@xterm/xterm';
import { CellGrid } from './cell-grid.ts';
import type { PageTerminalEvents } from './screen-events.ts';
import { TouchRecognizer } from './touch-gestures.ts';
import { scrollByTouch } from './touch-scroll.ts';
import { type Side, TouchSelection } from './touch-selection.ts';
import type { XtermLinks } from './xterm-links.ts';

export class XtermTouch {
  readonly #recognizer: TouchRecognizer;
  readonly #selection: TouchSelection;

  constructor(
    terminal: Terminal,
    host: HTMLElement,
    { events, links, signal }: { events: PageTerminalEvents; links: XtermLinks; signal: AbortSignal },
  ) {
    const changed = () => events.touchSelected();
    const selection = new TouchSelection(terminal, host, new CellGrid(terminal), { changed, signal });
    this.#selection = selection;
    const tapped = (at: { readonly clientX: number; readonly clientY: number }) => {
      if (selection.side !== null) {
        terminal.clearSelection();
        return true;
      }
      const address = links.at(at);
      if (address !== null) events.linkTapped(address);
      return address !== null;
    };
    this.#recognizer = new TouchRecognizer(
      host,
      {
        tapped,
        longPressed: (at) => selection.begin(at),
        dragged: (at) => selection.drag(at),
        lifted: () => selection.end(),
      },
      signal,
    );
    scrollByTouch(terminal, host, signal);
  }

  /** Whether a finger is on the terminal. The browser's own reaction to a long press is then suppressed. */
  get isDown(): boolean {
    return this.#recognizer.isDown;
  }

  /** The side of the terminal with room for a bar about the touch selection; null when there is none. */
  get selectionSide(): Side | null {
    return this.#selection.side;
  }
}
