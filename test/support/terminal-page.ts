/** The terminal in a page, read and typed into as a person would. */
import type { Page } from 'playwright-core';

export interface TerminalPage {
  /** Resolves when the visible screen matches; lines are joined by newlines, trailing blanks cut. */
  shows(pattern: RegExp, withinMs?: number): Promise<void>;
  /** Types once the terminal has the keyboard and shows a prompt of `sh`, as a person would wait for one. */
  types(text: string): Promise<void>;
  screen(): Promise<string>;
}

/** The rows of xterm's DOM renderer in the panel that is shown. */
const ROWS = '[role=tabpanel]:not([hidden]) .xterm-rows > div';

/** A link to the page whose terminals can be read: drawn with elements and not with WebGL. */
export function readable(link: string): string {
  return link.replace(/#|$/, (end) => `?renderer=dom${end}`);
}

export function terminalOf(page: Page): TerminalPage {
  const screen = () =>
    page
      .locator(ROWS)
      .allTextContents()
      .then((rows) => rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd()).join('\n'));
  return {
    screen,
    async shows(pattern, withinMs) {
      await page.waitForFunction(
        ([selector, source, flags]) => {
          const rows = [...document.querySelectorAll(selector)].map((row) =>
            (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd(),
          );
          return new RegExp(source, flags).test(rows.join('\n'));
        },
        [ROWS, pattern.source, pattern.flags] as const,
        withinMs === undefined ? {} : { timeout: withinMs },
      );
    },
    async types(text) {
      await this.shows(/[#$]$/m);
      await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
      // Enter is what the key sends; typing a newline character would paste one.
      await page.keyboard.type(text.replaceAll('\n', '\r'));
    },
  };
}
