/**
 * Handles what the user types, pastes and copies in the terminals, and asks for confirmation where needed. A viewer's
 * input is dropped here.
 */

import type { Delivery } from '../../../client/outbox/input-deliveries.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { tabOf } from '../tabs/tab-list.ts';
import type { Tabs } from '../tabs/tabs.ts';
import { pasteable } from '../terminal/pasteable.ts';
import type { XtermScreen } from '../terminal/xterm-screen.ts';
import { clipboardRequest } from './clipboard-request.ts';
import { composedInput } from './composed-input.ts';
import { pasteQuestion } from './paste-check.ts';
import { NOTHING_STICKS, type StickyState, used, withSticky } from './sticky-keys.ts';

/** A question that the user must answer before something happens. */
export type Question =
  | { readonly kind: 'paste'; readonly key: string; readonly text: string; readonly lines: number }
  | { readonly kind: 'clipboard'; readonly key: string; readonly text: string };

interface TerminalInputOptions {
  readonly windowTabs: Tabs;
  readonly settings: SettingsStore;
  /** The terminal of a tab, once it has one. */
  readonly screen: (key: string | null) => XtermScreen | undefined;
  readonly changed: () => void;
}

export class TerminalInput {
  readonly #options: TerminalInputOptions;
  #question: Question | null = null;
  #sticky: StickyState = NOTHING_STICKS;

  constructor(options: TerminalInputOptions) {
    this.#options = options;
  }

  /** Null once its tab is closed: the program that asked has ended with it. */
  get question(): Question | null {
    const question = this.#question;
    return question === null || tabOf(this.#options.windowTabs.list, question.key) === undefined
      ? null
      : question;
  }

  get sticky(): StickyState {
    return this.#sticky;
  }

  stick(sticky: StickyState): void {
    this.#sticky = sticky;
    this.#options.changed();
  }

  /** Types as if from the keyboard into the active terminal. */
  type(text: string): void {
    const { active } = this.#options.windowTabs.list;
    if (active !== null) this.typedBytes(active, new TextEncoder().encode(text));
  }

  /**
   * Pastes a text that the user has composed into the active terminal, once. They have read it, so nothing is asked.
   * False if it cannot be sent now; otherwise `settled` is called once with what became of it.
   */
  compose(text: string, withEnter: boolean, settled: (delivery: Delivery) => void): boolean {
    const { windowTabs, screen } = this.#options;
    const { active } = windowTabs.list;
    const [session, shown] = [active === null ? null : windowTabs.flow(active)?.session, screen(active)];
    if (!windowTabs.mayType || session == null || shown === undefined) return false;
    shown.scrollBackTo(0);
    return session.type(composedInput(text, { isBracketed: shown.isBracketed, withEnter }), settled);
  }

  async pasteFromClipboard(): Promise<void> {
    const { active } = this.#options.windowTabs.list;
    const screen = this.#options.screen(active);
    if (active === null || screen === undefined) return;
    const text = pasteable(await navigator.clipboard.readText());
    if (text !== '') this.pasted(active, text, screen.isBracketed);
  }

  copySelection(): void {
    const { windowTabs, screen } = this.#options;
    const text = screen(windowTabs.list.active)?.selection ?? '';
    if (text !== '') this.copy(text);
  }

  /** A browser may refuse without permission or while the page is not in front. Nothing can be done about that. */
  copy(text: string): void {
    void navigator.clipboard?.writeText(text).catch(() => {});
  }

  /** The user has answered the question. */
  answer(isYes: boolean): void {
    const { question } = this;
    if (isYes && question?.kind === 'paste') this.#options.screen(question.key)?.paste(question.text);
    if (isYes && question?.kind === 'clipboard') this.copy(question.text);
    this.#ask(null);
  }

  // ── Called by a terminal ─────────────────────────────────────────────────────────────────────────

  typed(key: string, text: string): void {
    if (isFocusReport(text) && !this.#options.windowTabs.flow(key)?.reportsFocus) return;
    const isSticky = this.#sticky.ctrl !== 'off' || this.#sticky.alt !== 'off';
    this.typedBytes(key, new TextEncoder().encode(isSticky ? withSticky(text, this.#sticky) : text));
    if (isSticky) this.stick(used(this.#sticky));
  }

  typedBytes(key: string, bytes: Uint8Array): void {
    const { windowTabs } = this.#options;
    if (windowTabs.mayType) windowTabs.flow(key)?.type(bytes);
  }

  pasted(key: string, text: string, isBracketed: boolean): void {
    const { windowTabs, screen, settings } = this.#options;
    if (!windowTabs.mayType) return;
    const question = settings.current.pasteWarning ? pasteQuestion(text, isBracketed) : null;
    if (question === null) screen(key)?.paste(text);
    else this.#ask({ kind: 'paste', key, ...question });
  }

  selected(text: string): void {
    if (this.#options.settings.current.copyOnSelect) this.copy(text);
  }

  /**
   * Only for live output in the active terminal: a replay must not touch the clipboard. A question that is already open
   * stays, because the user must answer the one they have read.
   */
  clipboardAsked(key: string, data: string): void {
    const { windowTabs, settings } = this.#options;
    const text = clipboardRequest(data);
    const { clipboardWrite } = settings.current;
    if (text === null || clipboardWrite === 'never') return;
    if (windowTabs.list.active !== key || !windowTabs.flow(key)?.isHappening) return;
    if (clipboardWrite === 'always') this.copy(text);
    else if (this.question === null) this.#ask({ kind: 'clipboard', key, text });
  }

  #ask(question: Question | null): void {
    this.#question = question;
    this.#options.changed();
  }
}

function isFocusReport(text: string): boolean {
  return text === '\x1b[I' || text === '\x1b[O';
}
