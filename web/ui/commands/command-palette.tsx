/** The command palette: finds a command or a terminal by a few letters, and runs it or goes there. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { fuzzyFilter } from './fuzzy-match.ts';

export interface PaletteItem {
  readonly id: string;
  readonly title: string;
  readonly keys?: string;
  /** Why it cannot be run now. */
  readonly reason: string | null;
  run(): void;
}

interface Props {
  readonly commands: {
    palette(sessions: readonly SessionInfo[]): readonly PaletteItem[];
    listSessions(): Promise<readonly SessionInfo[]>;
  };
  readonly onClose: () => void;
}

export function CommandPalette({ commands, onClose }: Props) {
  const [all, setAll] = useState(() => commands.palette([]));
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    let isOpen = true;
    void commands.listSessions().then((sessions) => isOpen && setAll(commands.palette(sessions)));
    return () => {
      isOpen = false;
    };
  }, [commands]);
  const shown = fuzzyFilter(typed, all, ({ title }) => title);
  const current = Math.min(chosen, shown.length - 1);
  const run = (item: PaletteItem | undefined) => {
    if (item === undefined || item.reason !== null) return;
    onClose();
    item.run();
  };
  const pressed = (event: KeyboardEvent) => {
    const next = placeAfter(event, current, shown.length);
    if (next === null && event.key !== 'Enter') return;
    event.preventDefault();
    if (next === null) run(shown[current]);
    else setChosen(next);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the keyboard's way, and the element has it built in
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        className="field palette-field"
        role="combobox"
        aria-label="Command or terminal"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={current < 0 ? undefined : optionId(list, current)}
        aria-autocomplete="list"
        placeholder="Type a command or the name of a terminal"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={pressed}
      />
      <Options id={list} items={shown} current={current} onRun={run} />
      <p className="visually-hidden" role="status">
        {shown.length === 1 ? '1 command' : `${shown.length} commands`}
      </p>
    </dialog>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly items: readonly PaletteItem[];
  readonly current: number;
  readonly onRun: (item: PaletteItem) => void;
}

function Options({ id, items, current, onRun }: OptionsProps) {
  const options = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when others are shown
  useEffect(() => {
    options.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current, items]);
  return (
    <div ref={options} id={id} className="palette-list" role="listbox" aria-label="Commands" tabIndex={-1}>
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and hears the keys
        <div
          key={item.id}
          id={optionId(id, index)}
          role="option"
          className="palette-option"
          aria-selected={index === current}
          aria-disabled={item.reason !== null}
          onClick={() => onRun(item)}
        >
          <span className="menu-label">{item.title}</span>
          {item.reason !== null && <span className="menu-hint">{item.reason}</span>}
          {item.keys !== undefined && <kbd>{item.keys}</kbd>}
        </div>
      ))}
    </div>
  );
}

function optionId(list: string, index: number): string {
  return `${list}-${index}`;
}

/** Where the arrow keys go; null if the key is none of them. */
function placeAfter(event: KeyboardEvent, current: number, count: number): number | null {
  if (count === 0) return null;
  const last = count - 1;
  switch (event.key) {
    case 'ArrowDown':
      return current >= last ? 0 : current + 1;
    case 'ArrowUp':
      return current <= 0 ? last : current - 1;
    case 'PageDown':
      return Math.min(last, current + PAGE);
    case 'PageUp':
      return Math.max(0, current - PAGE);
    default:
      return null;
  }
}

/** How many the list shows at once. */
const PAGE = 10;
