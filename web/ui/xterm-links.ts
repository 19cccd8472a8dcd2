/** Links in output: found in text or given by the program (OSC 8), shown where they lead, opened on request. */
import { WebLinksAddon } from '@xterm/addon-web-links';
import type { Terminal } from '@xterm/xterm';
import { LINK_PATTERN, safeLink } from './links.ts';

export function openLinks(terminal: Terminal, hovered: (address: string | null) => void): void {
  const activate = (event: MouseEvent, address: string) => {
    // A plain click selects or goes to the program; on a screen without a mouse it is all there is.
    if (event.ctrlKey || event.metaKey || isTouch(event)) follow(address);
  };
  const hover = (_: MouseEvent, address: string) => hovered(safeLink(address));
  const leave = () => hovered(null);
  terminal.options.linkHandler = { activate, hover, leave, allowNonHttpProtocols: true };
  terminal.loadAddon(new WebLinksAddon(activate, { urlRegex: LINK_PATTERN, hover, leave }));
}

function isTouch(event: MouseEvent): boolean {
  return event instanceof PointerEvent && event.pointerType === 'touch';
}

/** The page it leads to learns neither who opened it nor gets hold of this one. */
function follow(address: string): void {
  const href = safeLink(address);
  if (href === null) return;
  const link = document.createElement('a');
  link.href = href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.click();
}
