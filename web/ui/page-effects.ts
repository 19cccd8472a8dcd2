/** React hooks for what the page does outside its own elements: keys, focus, and the title of the window. */
import { type RefObject, useEffect } from 'react';
import type { TerminalViews } from './view/terminal-views.ts';

/** Puts the terminals on the page. */
export function useTerminalViews(page: RefObject<HTMLElement | null>, views: TerminalViews): void {
  useEffect(() => {
    if (page.current !== null) views.start(page.current);
    return () => views.stop();
  }, [page, views]);
}

/** A tab that closed by itself leaves the focus on the body. */
export function useFocusOnTerminal(active: string | null, views: TerminalViews): void {
  useEffect(() => {
    if (active !== null && document.activeElement === document.body) views.focus();
  }, [active, views]);
}

export function useWindowTitle(label: string, workspace: string): void {
  useEffect(() => {
    document.title = `${label === '' ? workspace : `${label} · ${workspace}`} · Holdfast`;
  }, [label, workspace]);
}

/** Calls `pressed`, which must stay the same function, with keys that belong to the page. */
export function usePageKeys(
  page: RefObject<HTMLElement | null>,
  pressed: (event: KeyboardEvent) => void,
): void {
  useEffect(() => {
    const heard = (event: KeyboardEvent) => {
      // The body is the target when nothing has the focus. Keys elsewhere on an embedder's page are not ours.
      const { target } = event;
      if (target === document.body || (target instanceof Node && page.current?.contains(target)))
        pressed(event);
    };
    document.addEventListener('keydown', heard);
    return () => document.removeEventListener('keydown', heard);
  }, [page, pressed]);
}
