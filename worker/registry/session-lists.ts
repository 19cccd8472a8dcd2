/** Builds JSON lists of sessions from texts that are already serialised (session-table.ts). */
import { byteLength } from '../platform/byte-length.ts';

/** A JSON object with the sessions in it. */
export function withSessions(object: object, texts: readonly string[], more: object = {}): string {
  const [before, after] = [JSON.stringify(object).slice(1, -1), JSON.stringify(more).slice(1, -1)];
  const list = `"sessions":[${texts.join(',')}]`;
  return `{${[before, list, after].filter((part) => part !== '').join(',')}}`;
}

/** Splits a list into pages that each fit a message. A text that is too long by itself gets its own page. */
export function pagesOf(texts: readonly string[], maxBytes: number): string[][] {
  const pages: string[][] = [[]];
  let used = 0;
  for (const text of texts) {
    const size = byteLength(text) + 1; // plus a comma
    if (used > 0 && used + size > maxBytes) {
      pages.push([]);
      used = 0;
    }
    pages.at(-1)?.push(text);
    used += size;
  }
  return pages;
}
