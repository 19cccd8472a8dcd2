/**
 * Keeps the keyboard focus on the terminal: after a click on anything that does not need the focus itself, and for a
 * key pressed while nothing has the focus. Without this, the space bar would scroll the page.
 */

/** Elements that use the focus or pass it on themselves. */
const INTERACTIVE =
  'a, button, input, select, textarea, label, dialog, [tabindex], [role=menu], .find-bar, .composer, .xterm';

/** The empty area around a terminal that is smaller than its panel. */
const BLANK = '.panel, .terminal-host';

interface KeyboardOwner {
  focus(): void;
  /** Passes a key that was pressed elsewhere to the terminal. */
  press(event: KeyboardEvent): void;
}

export function keepFocus(page: HTMLElement, terminal: KeyboardOwner, signal: AbortSignal): void {
  const { ownerDocument: document } = page;
  /** Whether the user's last click or focus was in this component, not elsewhere on an embedding page. */
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

/** Tab, Escape and shortcuts keep their meaning in the browser. */
function isTyping({ altKey, ctrlKey, key, metaKey }: KeyboardEvent): boolean {
  if (altKey || ctrlKey || metaKey) return false;
  return key.length === 1 || key === 'Enter' || key === 'Backspace';
}
