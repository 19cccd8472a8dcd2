/** React hooks for what the page does outside its own elements: keys, focus, and the window's title and icon. */
import { type RefObject, useEffect } from 'react';
import type { SessionProgress } from '../../protocol/messages/session-info.ts';
import { shortProgressText } from './view/progress.ts';
import { progressIcon } from './view/progress-icon.ts';
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

/** `wanting`: how many tabs want attention. */
export function useWindowTitle(
  label: string,
  workspace: string,
  progress: SessionProgress | null | undefined,
  wanting: number,
): void {
  useEffect(() => {
    // First, where a narrow browser tab still shows it.
    const parts = [progress == null ? '' : shortProgressText(progress), label, workspace, 'Holdfast'];
    const title = parts.filter((part) => part !== '').join(' · ');
    document.title = wanting === 0 ? title : `(${wanting}) ${title}`;
  }, [label, workspace, progress, wanting]);
}

/** The id of our icon in `index.html`; an embedder's icon stays. */
const ICON_ID = 'holdfast-icon';

/** Draws the progress on the page's icon, for a window in the background. */
export function useWindowIcon(progress: SessionProgress | null | undefined): void {
  useEffect(() => {
    const icon = document.getElementById(ICON_ID);
    if (progress == null || !(icon instanceof HTMLLinkElement)) return;
    const own = icon.href;
    icon.href = progressIcon(progress);
    return () => {
      icon.href = own;
    };
  }, [progress]);
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
