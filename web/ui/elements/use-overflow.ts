/** React hook that tells on which sides a scrolling row has hidden content. */
import { type RefObject, useEffect, useState } from 'react';

interface Overflow {
  readonly left: boolean;
  readonly right: boolean;
}

const NONE: Overflow = { left: false, right: false };

/** `what` must change whenever the content of the row does. */
export function useOverflow(row: RefObject<HTMLElement | null>, what: unknown): Overflow {
  const [overflow, setOverflow] = useState(NONE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in the row decides how wide it is
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const look = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element;
      // Allows one pixel, because browsers round scroll positions.
      const next = { left: scrollLeft > 1, right: scrollLeft + clientWidth < scrollWidth - 1 };
      setOverflow((last) => (last.left === next.left && last.right === next.right ? last : next));
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const resizes = new ResizeObserver(look);
    resizes.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      resizes.disconnect();
    };
  }, [row, what]);
  return overflow;
}
