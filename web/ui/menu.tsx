/** A short list of things to do: opened by a button or a right click, walked through with the arrows. */
import { type KeyboardEvent, useEffect, useRef } from 'react';

export interface MenuItem {
  readonly label: string;
  readonly keys?: string;
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
    element.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus();
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
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const all = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])];
    const index = all.indexOf(document.activeElement as HTMLElement);
    all.at((index + step + all.length) % all.length)?.focus();
  };
  return (
    <div ref={menu} className="menu" role="menu" aria-label={label} tabIndex={-1} onKeyDown={pressed}>
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-item"
          disabled={item.isDisabled}
          onClick={() => {
            onClose();
            item.run();
          }}
        >
          <span>{item.label}</span>
          {item.keys !== undefined && <kbd>{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}
