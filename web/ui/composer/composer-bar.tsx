/**
 * The field for text that is written or dictated before it goes into a terminal. It is part of the page's column, so
 * that the terminal above it keeps its last row, and both stay above a phone's keyboard.
 */
import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { printable } from '../../../protocol/printable.ts';
import { CloseIcon, HistoryIcon } from '../elements/icons.tsx';
import { Menu, type MenuItem } from '../elements/menu.tsx';
import type { Composer } from './composer.ts';

interface Props {
  readonly composer: Composer;
  /** The name of the terminal that the text goes to. */
  readonly target: string;
  readonly focusTerminal: () => void;
}

export function MaybeComposerBar(props: Props) {
  const { isOpen } = useSyncExternalStore(props.composer.subscribe, props.composer.current);
  return isOpen ? <ComposerBar {...props} /> : null;
}

/** A tap on a button leaves a phone's keyboard as it is. */
const keepFocus = (event: PointerEvent) => event.preventDefault();

function ComposerBar({ composer, target, focusTerminal }: Props) {
  const { text, note, canSend } = useSyncExternalStore(composer.subscribe, composer.current);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const close = () => {
    composer.close();
    focusTerminal();
  };
  const pressed = (event: KeyboardEvent) => {
    // Keys that an input method or the open menu needs are their own.
    if (event.nativeEvent.isComposing || event.defaultPrevented) return;
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      composer.send(true);
    }
  };
  const send = (label: string, withEnter: boolean) => (
    <button
      type="button"
      className={withEnter ? 'button button-primary' : 'button'}
      aria-disabled={!canSend}
      title={withEnter ? 'Send with Enter (Ctrl+Enter)' : 'Send without Enter'}
      onPointerDown={keepFocus}
      onClick={() => composer.send(withEnter)}
    >
      {label}
    </button>
  );
  return (
    <section className="composer" aria-label="Compose text" onKeyDown={pressed}>
      <textarea
        ref={field}
        className="field composer-field"
        aria-label={`Text for ${target}`}
        placeholder={`Write or dictate for ${target}`}
        rows={3}
        autoCapitalize="sentences"
        autoCorrect="on"
        spellCheck
        value={text}
        onChange={(event) => composer.write(event.currentTarget.value)}
      />
      <div className="composer-row">
        <button
          type="button"
          className="icon-button"
          aria-label="Close composer"
          title="Close"
          onPointerDown={keepFocus}
          onClick={close}
        >
          <CloseIcon />
        </button>
        <History composer={composer} focusField={() => field.current?.focus()} />
        <span className="composer-note" role="status">
          {note}
        </span>
        {send('Insert', false)}
        {send('Send', true)}
      </div>
    </section>
  );
}

interface HistoryProps {
  readonly composer: Composer;
  readonly focusField: () => void;
}

function History({ composer, focusField }: HistoryProps) {
  const [at, setAt] = useState<{ readonly x: number; readonly y: number } | null>(null);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="History"
        title="History"
        aria-haspopup="menu"
        onClick={(event) => {
          const { left, top } = event.currentTarget.getBoundingClientRect();
          setAt({ x: left, y: top });
        }}
      >
        <HistoryIcon />
      </button>
      {at !== null && (
        <Menu
          label="History"
          at={at}
          items={historyItems(composer, focusField)}
          onClose={() => setAt(null)}
          onDismiss={() => {
            setAt(null);
            focusField();
          }}
        />
      )}
    </>
  );
}

function historyItems(composer: Composer, focusField: () => void): MenuItem[] {
  const { history } = composer;
  if (history.length === 0) return [{ label: 'Nothing was sent yet', isDisabled: true, run: () => {} }];
  const items = history.map((text, index) => ({
    id: String(index),
    label: printable(text.slice(0, LABEL_MAX_CHARS).replace(/\s+/g, ' ')),
    run: () => {
      composer.write(text);
      focusField();
    },
  }));
  const clear = () => {
    composer.clearHistory();
    focusField();
  };
  return [...items, { id: 'clear', label: 'Clear history', run: clear }];
}

/** Enough to recognise a text; the menu cuts what is wider. */
const LABEL_MAX_CHARS = 80;
