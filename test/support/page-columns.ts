/** Measures in a page in which column of the terminal a character is drawn, by its pixels. */
import type { Page } from 'playwright-core';

/** For each visible row that has the character: where it is, in pixels from the row's left edge. */
function offsetsOf(page: Page, character: string): Promise<number[][]> {
  return page.evaluate((wanted) => {
    const rows = [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div')];
    return rows.map(offsets).filter(({ length }) => length > 0);

    function offsets(row: Element): number[] {
      const { left } = row.getBoundingClientRect();
      const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      const found: number[] = [];
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const text = node.textContent ?? '';
        for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          found.push(range.getBoundingClientRect().left - left);
        }
      }
      return found;
    }
  }, character);
}

/**
 * The columns of a character in each row that has it. The first such row is a ruler: there it is in column
 * `rulerColumn`, which tells how wide a column is.
 */
export async function columnsOf(page: Page, character: string, rulerColumn: number): Promise<number[][]> {
  const [ruler, ...rows] = await offsetsOf(page, character);
  const width = (ruler?.[0] ?? 0) / rulerColumn;
  return rows.map((offsets) => offsets.map((left) => Math.round(left / width)));
}
