/**
 * The page in Chromium. Its program prints only when typed at, and little enough that everything new is on the screen at once:
 * the rows are read as a person would read them.
 */
import type { Page } from 'playwright-core';
import type { ChaosProxy } from '../support/chaos-proxy.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { readLine } from './checked-line.ts';
import { PROGRAM } from './headless-participant.ts';
import type { Participant } from './participant.ts';
import { Typist } from './typist.ts';

const LOOK_EVERY_MS = 25;
const RELOAD_WITHIN_MS = 10_000;
const RELOADS_MAX = 6;

export class PageParticipant implements Participant {
  readonly name = 'page';
  readonly leg: ChaosProxy;
  readonly typist: Typist;
  readonly #page: Page;
  readonly #violations: string[] = [];
  #lines = 0;
  #isLeaving = false;
  checkedBytes = 0;

  private constructor(page: Page, leg: ChaosProxy) {
    this.#page = page;
    this.leg = leg;
    this.typist = new Typist(async (text) => {
      await page.keyboard.type(text);
      return true;
    });
  }

  /** `page` shows a shell's prompt. */
  static async join(page: Page, leg: ChaosProxy): Promise<PageParticipant> {
    await terminalOf(page).types(`clear; exec ${process.execPath} ${PROGRAM}\n`);
    await terminalOf(page).shows(/^0 ready/m);
    const participant = new PageParticipant(page, leg);
    participant.#lines = 1;
    void participant.#look();
    return participant;
  }

  async isUpToDate(): Promise<void> {
    await this.typist.isHeard();
  }

  async reload(): Promise<void> {
    await this.#reloadUntilLoaded();
    await this.#page.waitForFunction(() =>
      document.activeElement?.classList.contains('xterm-helper-textarea'),
    );
  }

  /** The browser may send a request over an idle connection whose other end is gone; the key is pressed again. */
  async #reloadUntilLoaded(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#page.reload({ timeout: RELOAD_WITHIN_MS });
        return;
      } catch (error) {
        if (tries === RELOADS_MAX) throw error;
      }
    }
  }

  violations(): readonly string[] {
    return [...this.#violations, ...this.typist.violations].map((what) => `${this.name}: ${what}`);
  }

  leave(): void {
    this.#isLeaving = true;
  }

  /**
   * Reads the screen repeatedly: a line that was shown and is gone before the next read is not missed, because the
   * next line has its number.
   */
  async #look(): Promise<void> {
    while (!this.#isLeaving) {
      try {
        this.#read(await terminalOf(this.#page).screen());
        await this.#page.waitForTimeout(LOOK_EVERY_MS);
      } catch {
        // The page is being reloaded, or is gone.
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    }
  }

  #read(screen: string): void {
    const rows = screen.split('\n').filter((row) => /^\d+ (tick|heard|ready) /.test(row));
    const lines = rows.map(readLine);
    // A row that is being drawn while it is read is complete at the next read.
    if (lines.includes(null)) return;
    for (const [i, line] of lines.entries()) {
      const before = lines[i - 1];
      if (before && line && line.number !== before.number + 1)
        this.#violations.push(`shows line ${line.number} below ${before.number}`);
    }
    const news = lines.filter((line) => line !== null && line.number >= this.#lines);
    const [first] = news;
    if (first && first.number > this.#lines)
      this.#violations.push(`lines ${this.#lines} to ${first.number - 1} were never shown`);
    for (const line of news) {
      if (line === null) continue;
      this.#lines = line.number + 1;
      this.checkedBytes += `${line.number} ${line.kind} ${line.what} 00000000\r\n`.length;
      this.typist.shown(line);
    }
  }
}
