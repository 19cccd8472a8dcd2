/** Cuts a list into pages that each fit a message. An item that is too large by itself gets its own page. */
import { byteLength } from './byte-length.ts';

export function pagesOf<T>(items: readonly T[], maxBytes: number): T[][] {
  const pages: T[][] = [[]];
  let used = 0;
  for (const item of items) {
    const size = byteLength(JSON.stringify(item)) + 1; // and a comma
    if (used > 0 && used + size > maxBytes) {
      pages.push([]);
      used = 0;
    }
    pages.at(-1)?.push(item);
    used += size;
  }
  return pages;
}
