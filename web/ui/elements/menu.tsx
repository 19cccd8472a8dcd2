/** A short list of things to do: opened by a button or a right click, walked through with the arrows. */
import { type KeyboardEvent, useEffect, useRef } from 'react';

export interface MenuItem {
  /** Tells items of the same label apart. */
  readonly id?: string;
  readonly label: string;
  readonly keys?: string;
  /** A few words more. */
  readonly hint?: string;
  /** It is where the person is. */
  readonly isCurrent?: boolean;
  readonly isDisabled?: boolean;
  run(): void;
}

interface Props {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly at: { readonly x: number; readonly y: number };
  readonly onClose: () => void;
  /** The person has changed their mind, and goes on where they were. */
  readonly onDismiss: () => void;
}

export function Menu({ label, items, at, onClose, onDismiss }: Props) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = menu.current;
    if (element === null) return;
    // Where there is room: beside an edge it opens to the other side.
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(at.x, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(at.y, innerHeight - height - 4))}px`;
    const items = [...element.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')];
    (items.find((item) => item.ariaCurrent === 'true') ?? items[0])?.focus();
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
