/** What keys do on the divider between two panes. */
import { SPLIT_MAX_PERCENT, SPLIT_MIN_PERCENT } from '../../../protocol/limits.ts';

interface Pressed {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/** Some characters of a terminal that fills a screen. */
const STEP = 2;
const LARGE_STEP = 10;

/** The share that the first part gets, or that the user is done; null if the key means nothing here. */
export function dividerKey(
  { key, altKey, ctrlKey, metaKey, shiftKey }: Pressed,
  { direction, percent }: { readonly direction: 'row' | 'column'; readonly percent: number },
): number | 'done' | null {
  if (altKey || ctrlKey || metaKey || shiftKey) return null;
  const [less, more] = direction === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  switch (key) {
    case less:
      return percent - STEP;
    case more:
      return percent + STEP;
    case 'PageUp':
      return percent - LARGE_STEP;
    case 'PageDown':
      return percent + LARGE_STEP;
    case 'Home':
      return SPLIT_MIN_PERCENT;
    case 'End':
      return SPLIT_MAX_PERCENT;
    case 'Enter':
    case 'Escape':
      return 'done';
    default:
      return null;
  }
}
