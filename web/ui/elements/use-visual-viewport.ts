/**
 * Keeps the page above a phone's on-screen keyboard. Chrome shrinks the page by itself (`interactive-widget` in
 * index.html). Safari overlays the keyboard, and reports the remaining height only through this API.
 */
import { type RefObject, useEffect } from 'react';

export function useVisualViewport(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (viewport === null) return;
    const follow = () => {
      const isCovered = viewport.height < innerHeight - 1 && viewport.scale === 1;
      page.current?.style.setProperty('height', isCovered ? `${viewport.height}px` : null);
      page.current?.style.setProperty('translate', isCovered ? `0 ${viewport.offsetTop}px` : null);
    };
    viewport.addEventListener('resize', follow);
    viewport.addEventListener('scroll', follow);
    return () => {
      viewport.removeEventListener('resize', follow);
      viewport.removeEventListener('scroll', follow);
    };
  }, [page]);
}
