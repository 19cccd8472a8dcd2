/**
 * Keeps the keyboard with the terminal: after a click on anything that needs no keyboard itself, and for a key that is
 * pressed while nothing on the page has it. Without this a space would scroll the page.
 */

/** What has a use for the keyboard, or gives it away by itself. */
const INTERACTIVE =
  'a, button, input, select, textarea, label, dialog, [tabindex], [role=menu], .find-bar, .xterm';

/** What surrounds a terminal that is smaller than its panel. */
const BLANK = '.panel, .terminal-host';

interface KeyboardOwner {
  focus(): void;
  /** A key that was pressed elsewhere is the terminal's. */
  press(event: KeyboardEvent): void;
}

export function keepFocus(page: HTMLElement, terminal: KeyboardOwner, signal: AbortSignal): void {
  const { ownerDocument: document } = page;
  /** Whether the person was last here, and not elsewhere on a page that we are only a part of. */
  let isHere = false;
  const noteWhere = ({ target }: Event) => {
    isHere = target instanceof Node && page.contains(target);
  };
  document.addEventListener('pointerdown', noteWhere, { capture: true, signal });
  document.addEventListener('focusin', noteWhere, { signal });

  const pressedBlank = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || !event.target.matches(BLANK)) return;
    event.preventDefault(); // the browser would take the focus away
    terminal.focus();
  };
  page.addEventListener('mousedown', pressedBlank, { signal });

  const clicked = ({ target }: MouseEvent) => {
    const isIdle = target instanceof Element && target.closest(INTERACTIVE) === null;
    if (isIdle && document.getSelection()?.isCollapsed !== false) terminal.focus();
  };
  page.addEventListener('click', clicked, { signal });

  const typedNowhere = (event: KeyboardEvent) => {
    if (isHere && event.target === document.body && !event.defaultPrevented && isTyping(event))
      terminal.press(event);
  };
  document.addEventListener('keydown', typedNowhere, { signal });
}

/** Tab, Escape and shortcuts keep what they mean to the browser. */
function isTyping({ altKey, ctrlKey, key, metaKey }: KeyboardEvent): boolean {
  if (altKey || ctrlKey || metaKey) return false;
  return key.length === 1 || key === 'Enter' || key === 'Backspace';
}
