/** Links in output, found in text or marked by the program (OSC 8). Shows where they lead and opens them on request. */
import { WebLinksAddon } from '@xterm/addon-web-links';
import type { Terminal } from '@xterm/xterm';
import { LINK_PATTERN, safeLink } from './links.ts';
import type { Point } from './touch-gestures.ts';

export class XtermLinks {
  readonly #terminal: Terminal;
  /** What `at` has found so far; undefined while the user's own mouse is being followed. */
  #probed: { address: string | null } | undefined;

  constructor(terminal: Terminal, hovered: (address: string | null) => void) {
    this.#terminal = terminal;
    const activate = (event: MouseEvent, address: string) => {
      // A plain click selects text or goes to the program.
      if (event.ctrlKey || event.metaKey) followLink(address);
    };
    const hover = (_: MouseEvent, address: string) => {
      if (this.#probed === undefined) hovered(safeLink(address));
      else this.#probed.address = safeLink(address);
    };
    const leave = () => {
      if (this.#probed === undefined) hovered(null);
      else this.#probed.address = null;
    };
    terminal.options.linkHandler = { activate, hover, leave, allowNonHttpProtocols: true };
    terminal.loadAddon(new WebLinksAddon(activate, { urlRegex: LINK_PATTERN, hover, leave }));
  }

  /**
   * The URL of the link at a point; null when there is none that may be opened. xterm looks for links where the mouse
   * is, so this sends mouse events to xterm's screen only: they do not bubble, so they reach no program.
   */
  at({ clientX, clientY }: Point): string | null {
    const screen = this.#terminal.element?.querySelector('.xterm-screen');
    if (!screen) return null;
    const { top, height } = screen.getBoundingClientRect();
    const row = height / this.#terminal.rows;
    const probe = { address: null as string | null };
    this.#probed = probe;
    // Goes to another row first: xterm does not check the same row twice.
    const beside = clientY - row >= top ? clientY - row : clientY + row;
    screen.dispatchEvent(new MouseEvent('mousemove', { clientX, clientY: beside }));
    probe.address = null;
    screen.dispatchEvent(new MouseEvent('mousemove', { clientX, clientY }));
    const { address } = probe;
    screen.dispatchEvent(new MouseEvent('mouseleave'));
    this.#probed = undefined;
    return address;
  }
}

/** The opened page learns neither the referrer nor gets access to this window. */
export function followLink(address: string): void {
  const href = safeLink(address);
  if (href === null) return;
  const link = document.createElement('a');
  link.href = href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.click();
}
