/**
 * The text field over a tab that renames it. It is placed next to the tabs, because a tab list may contain only tabs.
 */
import { useEffect, useRef } from 'react';
import { NAME_MAX_CHARS } from '../../../protocol/limits.ts';

interface Props {
  readonly name: string;
  readonly over: HTMLElement | null;
  /** The new name, or null when it is unchanged. */
  readonly onDone: (name: string | null) => void;
}

export function TabName({ name, over, onDone }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => field.current?.select(), []);
  const done = (result: string | null) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(result);
  };
  return (
    <input
      ref={field}
      className="tab-rename"
      style={{ left: over?.offsetLeft ?? 0, width: Math.max(120, over?.offsetWidth ?? 0) }}
      aria-label="Name of the terminal"
      defaultValue={name}
      maxLength={NAME_MAX_CHARS}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // The terminal gets the focus before the key is released, and must not receive the key.
        event.preventDefault();
        done(event.key === 'Enter' ? event.currentTarget.value : null);
      }}
      onBlur={(event) => done(event.currentTarget.value)}
    />
  );
}
