/** React hook for a button that copies a text. */
import { useState } from 'react';

/** `copied` is about this text, not about an earlier one. The browser may have been told not to let pages copy. */
export function useCopying(text: string | null) {
  const [last, setLast] = useState<{ readonly text: string; readonly copied: 'done' | 'refused' } | null>(
    null,
  );
  const copy = () => {
    if (text === null) return;
    navigator.clipboard.writeText(text).then(
      () => setLast({ text, copied: 'done' }),
      () => setLast({ text, copied: 'refused' }),
    );
  };
  return { copy, copied: last !== null && last.text === text ? last.copied : null };
}
