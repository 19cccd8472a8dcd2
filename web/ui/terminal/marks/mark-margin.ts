/**
 * Draws the marks of commands beside a terminal, in the space that is left free there anyway. Only commands whose
 * prompt is visible have an element. The arrow keys go from mark to mark.
 */
import type { CommandStatus } from './command-status.ts';
import type { PointedMark } from './mark-events.ts';

export interface DrawnMark {
  readonly command: number;
  readonly status: CommandStatus;
  /** What a screen reader says. */
  readonly label: string;
  /** In pixels, from the top of the margin. */
  readonly top: number;
  readonly height: number;
  /** The user has gone to this one. */
  readonly isCurrent: boolean;
}

interface MarginEvents {
  pointed(mark: PointedMark | null): void;
  chosen(mark: PointedMark): void;
}

/** The id of the element that tells more about the mark under the mouse. */
export const MARK_TIP_ID = 'holdfast-mark-tip';

export class MarkMargin {
  readonly #place: HTMLElement;
  readonly #events: MarginEvents;
  readonly #buttons = new Map<number, HTMLButtonElement>();

  constructor(place: HTMLElement, events: MarginEvents) {
    this.#place = place;
    this.#events = events;
    place.hidden = true;
    place.addEventListener('keydown', (event) => this.#pressed(event));
  }

  /** The top of the margin on the page. A hidden element has no place, so this is that of the panel around it. */
  get top(): number {
    return this.#place.parentElement?.getBoundingClientRect().top ?? 0;
  }

  get isEmpty(): boolean {
    return this.#buttons.size === 0;
  }

  /** In the order of their rows. */
  draw(marks: readonly DrawnMark[]): void {
    const wanted = new Set(marks.map(({ command }) => command));
    // Without marks it is no stop of the Tab key.
    this.#place.hidden = marks.length === 0;
    for (const [command, button] of this.#buttons) if (!wanted.has(command)) this.#remove(command, button);
    let next = this.#place.firstElementChild;
    for (const [at, mark] of marks.entries()) {
      const button = this.#buttons.get(mark.command) ?? this.#make(mark.command);
      update(button, mark, at === marks.length - 1);
      if (button === next) next = next.nextElementSibling;
      else this.#place.insertBefore(button, next);
    }
  }

  #make(command: number): HTMLButtonElement {
    const button = this.#place.ownerDocument.createElement('button');
    button.type = 'button';
    button.className = 'mark';
    button.setAttribute('aria-haspopup', 'menu');
    button.setAttribute('aria-describedby', MARK_TIP_ID);
    const point = (): PointedMark => {
      const { right, bottom } = button.getBoundingClientRect();
      return { command, at: { x: right, y: bottom } };
    };
    for (const shows of ['pointerenter', 'focus'])
      button.addEventListener(shows, () => this.#events.pointed(point()));
    for (const hides of ['pointerleave', 'blur'])
      button.addEventListener(hides, () => this.#events.pointed(null));
    button.addEventListener('click', () => this.#events.chosen(point()));
    this.#buttons.set(command, button);
    return button;
  }

  #remove(command: number, button: HTMLButtonElement): void {
    this.#buttons.delete(command);
    if (button.matches(':hover, :focus')) this.#events.pointed(null);
    button.remove();
  }

  #pressed(event: KeyboardEvent): void {
    const buttons = [...this.#place.querySelectorAll('button')];
    const index = buttons.indexOf(event.target as HTMLButtonElement);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(next, buttons.length - 1))]?.focus();
  }
}

/** Writing the same value again would make the browser compute the style again. */
function update(button: HTMLButtonElement, mark: DrawnMark, isLast: boolean): void {
  const { status, label, top, height, isCurrent } = mark;
  const place = `translate: 0 ${top}px; height: ${height}px;`;
  if (button.style.cssText !== place) button.style.cssText = place;
  if (button.dataset.status !== status) button.dataset.status = status;
  if (button.ariaLabel !== label) button.ariaLabel = label;
  button.toggleAttribute('data-current', isCurrent);
  // One of them is reached with Tab, the others with the arrow keys.
  button.tabIndex = isLast ? 0 : -1;
}
