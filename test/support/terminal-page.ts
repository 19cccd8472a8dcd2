/** Reads and types into the terminal of a page, as a user would. */
import type { Page } from 'playwright-core';

export interface TerminalPage {
  /** Resolves when the visible screen matches; lines are joined by newlines, trailing blanks cut. */
  shows(pattern: RegExp, withinMs?: number): Promise<void>;
  /** Resolves when a prompt is the last that is shown. An earlier one above it says nothing about the shell. */
  prompts(): Promise<void>;
  /**
   * Types once the terminal has the focus and shows a prompt of `sh`, for which a user would wait too. A line is ended
   * once it is echoed: then the prompt that the next call waits for is the one after it. Input that is typed before its
   * prompt is echoed above it, and its output does not begin a row: it follows the prompt.
   */
  types(text: string): Promise<void>;
  /** Types at once, whatever is shown. */
  typesBlindly(text: string): Promise<void>;
  screen(): Promise<string>;
}

/** The rows of xterm's DOM renderer in the visible panel. */
const ROWS = '[role=tabpanel]:not([hidden]) .xterm-rows > div';

/** A link to the page with readable terminals: drawn by the DOM renderer, not with WebGL. */
export function readable(link: string): string {
  return link.replace(/#|$/, (end) => `?renderer=dom${end}`);
}

/** At the end of the screen, perhaps behind output without a newline. `$$` is the end of a typed line. */
const PROMPT = /(?<![#$])[#$]\s*$/;

/** Resolves when the screen ends with the typed line, however it is wrapped. */
async function echoed(page: Page, line: string): Promise<void> {
  await page.waitForFunction(
    ([selector, line]) => {
      const rows = [...document.querySelectorAll(selector)].map((row) => row.textContent ?? '');
      return rows.join('').replace(/\s/g, '').endsWith(line.replace(/\s/g, ''));
    },
    [ROWS, line] as const,
    { polling: 20 },
  );
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
        // The default would check on every animation frame.
        { polling: 50, ...(withinMs === undefined ? {} : { timeout: withinMs }) },
      );
    },
    async prompts() {
      await this.shows(PROMPT);
    },
    async types(text) {
      await this.prompts();
      await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
      const line = /^\P{Cc}+/u.exec(text)?.[0] ?? '';
      await this.typesBlindly(line);
      if (text.length > line.length) await echoed(page, line);
      await this.typesBlindly(text.slice(line.length));
    },
    async typesBlindly(text) {
      // Text is inserted at once, as a phone's keyboard does, because a key costs three messages to the browser.
      // Control characters are sent as keys.
      for (const part of text.match(/\P{Cc}+|\p{Cc}/gu) ?? []) {
        if (/\P{Cc}/u.test(part)) await page.keyboard.insertText(part);
        // The Enter key sends a carriage return; typing a newline character would paste one.
        else await page.keyboard.type(part === '\n' ? '\r' : part);
      }
    },
  };
}
