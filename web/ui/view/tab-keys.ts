/**
 * The keyboard commands on a tab. Arrows go from tab to tab and wrap around at the ends; with Ctrl they move the tab.
 */
import type { KeyboardEvent } from 'react';

type TabKeyAction =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'move'; readonly step: 1 | -1 }
  | { readonly kind: 'close' | 'rename' | 'menu' };

export function tabKeyAction(event: KeyboardEvent, index: number, count: number): TabKeyAction | null {
  if (event.altKey || event.metaKey) return null;
  if (event.shiftKey) return event.key === 'F10' && !event.ctrlKey ? { kind: 'menu' } : null;
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : null;
  if (step !== null)
    return event.ctrlKey ? { kind: 'move', step } : { kind: 'go', index: (index + step + count) % count };
  if (event.ctrlKey) return null;
  switch (event.key) {
    case 'Home':
      return { kind: 'go', index: 0 };
    case 'End':
      return { kind: 'go', index: count - 1 };
    case 'Delete':
      return { kind: 'close' };
    case 'ContextMenu':
      return { kind: 'menu' };
    case 'F2':
      return { kind: 'rename' };
    default:
      return null;
  }
}
