/** A bar with the keys that a phone's keyboard lacks. A tap neither opens nor closes the keyboard. */
import { type PointerEvent, useRef } from 'react';
import { ComposeIcon } from '../elements/icons.tsx';
import { useOverflow } from '../elements/use-overflow.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { useSettings } from '../settings/use-settings.ts';
import { useMedia } from '../settings/use-theme.ts';
import { type BarKey, barKey, type StickyState, tapped, used } from '../view/sticky-keys.ts';
import type { TerminalViews } from '../view/terminal-views.ts';

const KEYS: readonly { readonly key: BarKey; readonly label: string; readonly shows: string }[] = [
  { key: 'Escape', label: 'Esc', shows: 'Esc' },
  { key: 'Tab', label: 'Tab', shows: 'Tab' },
];
const ARROWS: typeof KEYS = [
  { key: 'Left', label: 'Left', shows: '←' },
  { key: 'Down', label: 'Down', shows: '↓' },
  { key: 'Up', label: 'Up', shows: '↑' },
  { key: 'Right', label: 'Right', shows: '→' },
];
/** Characters that shells need often and phones hide on their third page of symbols. */
const SIGNS = ['|', '/', '~', '-'];

interface Props {
  readonly views: TerminalViews;
  readonly settings: SettingsStore;
  readonly sticky: StickyState;
  readonly onCompose: () => void;
}

/** Shows the bar on touch screens, unless the user has chosen otherwise. */
export function MaybeKeyBar({ settings, views, sticky, onCompose }: Props) {
  const { keyBar } = useSettings(settings);
  const isTouch = useMedia('(pointer: coarse)');
  const isShown = keyBar === 'always' || (keyBar === 'touch' && isTouch);
  return isShown ? <KeyBar views={views} sticky={sticky} onCompose={onCompose} /> : null;
}

function KeyBar({ views, sticky, onCompose }: Omit<Props, 'settings'>) {
  const bar = useRef<HTMLDivElement>(null);
  const more = useOverflow(bar, KEYS);
  const keepFocus = (event: PointerEvent) => event.preventDefault();
  const press = (key: BarKey) => {
    views.input.type(barKey(key, sticky, views.active?.hasApplicationCursor ?? false));
    views.input.stick(used(sticky));
  };
  const modifier = (key: 'ctrl' | 'alt', label: string) => (
    <button
      type="button"
      className="key"
      aria-pressed={sticky[key] !== 'off'}
      aria-label={sticky[key] === 'locked' ? `${label}, locked` : label}
      data-sticky={sticky[key]}
      onPointerDown={keepFocus}
      onClick={() => {
        views.input.stick(tapped(sticky, key));
      }}
    >
      {label}
    </button>
  );
  const button = ({ key, label, shows }: (typeof KEYS)[number]) => (
    <button
      key={key}
      type="button"
      className="key"
      aria-label={label}
      onPointerDown={keepFocus}
      onClick={() => press(key)}
    >
      {shows}
    </button>
  );
  return (
    <div
      className="key-bar"
      role="toolbar"
      aria-label="Keys"
      ref={bar}
      data-more-left={more.left || undefined}
      data-more-right={more.right || undefined}
    >
      <button
        type="button"
        className="key"
        aria-label="Compose text"
        title="Compose text (Alt+Shift+O)"
        onPointerDown={keepFocus}
        onClick={onCompose}
      >
        <ComposeIcon />
      </button>
      {KEYS.map(button)}
      {modifier('ctrl', 'Ctrl')}
      {modifier('alt', 'Alt')}
      {ARROWS.map(button)}
      {SIGNS.map((sign) => (
        <button
          key={sign}
          type="button"
          className="key key-sign"
          onPointerDown={keepFocus}
          onClick={() => views.input.type(sign)}
        >
          {sign}
        </button>
      ))}
    </div>
  );
}
