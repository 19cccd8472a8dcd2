/** A menu, opened by a button or a right click and navigated with the arrow keys. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

export interface MenuItem {
  /** Tells apart items with the same label. */
  readonly id?: string;
  readonly label: string;
  readonly keys?: string;
  /** A short addition to the label. */
  readonly hint?: string;
  /** Marks the item the user is at now. */
  readonly isCurrent?: boolean;
  readonly isDisabled?: boolean;
  run(): void;
}

/** Where a menu opens, in the window. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly label: string;
  /** What the items are about, for the eye: a screen reader hears the label. */
  readonly heading?: ReactNode;
  readonly items: readonly MenuItem[];
  readonly at: MenuPlace;
  readonly onClose: () => void;
  /** The user closed the menu without choosing, so the focus goes back to where it was. */
  readonly onDismiss: () => void;
}

export function Menu({ label, heading, items, at, onClose, onDismiss }: Props) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = menu.current;
    if (element === null) return;
    // Kept inside the window when opened near an edge.
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(at.x, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(at.y, innerHeight - height - 4))}px`;
    const items = [...element.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')];
    // With nothing to choose, the menu itself hears Escape.
    (items.find((item) => item.ariaCurrent === 'true') ?? items[0] ?? element).focus();
  }, [at]);
  useEffect(() => {
    const listening = new AbortController();
    const outside = (event: Event) => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) onClose();
    };
    document.addEventListener('pointerdown', outside, { capture: true, signal: listening.signal });
    addEventListener('blur', onClose, { signal: listening.signal });
    return () => listening.abort();
  }, [onClose]);
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      return onDismiss();
    }
    const all = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])];
    const index = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all.at(next % all.length)?.focus();
  };
  return (
    <div ref={menu} className="menu" role="menu" aria-label={label} tabIndex={-1} onKeyDown={pressed}>
      {heading !== undefined && <div aria-hidden="true">{heading}</div>}
      {items.map((item) => (
        <button
          key={item.id ?? item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-item"
          disabled={item.isDisabled}
          aria-current={item.isCurrent}
          onClick={() => {
            onClose();
            item.run();
          }}
        >
          <span className="menu-label">{item.label}</span>
          {item.hint !== undefined && <span className="menu-hint">{item.hint}</span>}
          {item.keys !== undefined && <kbd>{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}
