/**
 * The terminals on the page: one xterm for each tab of the desk, for as long as the tab lives, whatever happens to
 * the connection. [P21] Between the desk, which knows no DOM, and React, which gives each terminal a place.
 */
import type { Size } from '../../protocol/frame.ts';
import { clipboardRequest } from './clipboard-request.ts';
import type { Desk } from './desk.ts';
import { pasteQuestion } from './paste-check.ts';
import { pasteable } from './pasteable.ts';
import type { SettingsStore } from './settings.ts';
import { type Command, commandOf } from './shortcuts.ts';
import { NOTHING_STICKS, type StickyState, used, withSticky } from './sticky-keys.ts';
import { onLookChange, terminalLook } from './terminal-theme.ts';
import { type ScreenEvents, XtermScreen } from './xterm-screen.ts';

/** What a person is asked before it happens. */
export type Question =
  | { readonly kind: 'paste'; readonly key: string; readonly text: string; readonly lines: number }
  | { readonly kind: 'clipboard'; readonly key: string; readonly text: string };

export interface StageOptions {
  readonly desk: Desk;
  readonly settings: SettingsStore;
  readonly mayUseWebgl: boolean;
}

export class Stage {
  readonly #options: StageOptions;
  readonly #screens = new Map<string, XtermScreen>();
  readonly #listeners = new Set<() => void>();
  readonly #stops: (() => void)[] = [];
  #place: HTMLElement | null = null;
  #shown: string | null = null;
  #size: Size | null = null;
  question: Question | null = null;
  menu: { readonly x: number; readonly y: number } | null = null;
  link: string | null = null;
  sticky: StickyState = NOTHING_STICKS;
  /** What the page's own keys do. */
  command: (command: Command) => void = () => {};

  constructor(options: StageOptions) {
    this.#options = options;
  }

  start(place: HTMLElement): void {
    const { desk, settings } = this.#options;
    this.#place = place;
    const listening = new AbortController();
    const keep = () => desk.keep((key) => this.#screens.get(key)?.scrolled ?? desk.scrolled(key));
    addEventListener('pagehide', keep, { signal: listening.signal });
    const look = () => desk.setPageVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look, { signal: listening.signal });
    look();
    this.#stops.push(
      () => listening.abort(),
      desk.onChange(() => this.#update()),
      settings.onChange(() => this.restyle()),
      onLookChange(() => this.restyle()),
    );
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    for (const screen of this.#screens.values()) screen.dispose();
    this.#screens.clear();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  screen(key: string | null): XtermScreen | undefined {
    return key === null ? undefined : this.#screens.get(key);
  }

  get active(): XtermScreen | undefined {
    return this.screen(this.#options.desk.list.active);
  }

  /** Of the terminals, in pixels; null before there is a page. */
  get fontSize(): number | null {
    return this.#place === null ? null : terminalLook(this.#place, this.#options.settings.current).fontSize;
  }

  /** Gives a tab's terminal its place on the page; the result takes it away again. */
  mount(key: string, host: HTMLElement): () => void {
    const { desk, mayUseWebgl, settings } = this.#options;
    const look = terminalLook(host, settings.current);
    const screen = new XtermScreen(host, this.#eventsOf(key), { look, size: this.#size, mayUseWebgl });
    this.#screens.set(key, screen);
    screen.scrollBackTo(desk.scrolled(key));
    this.#size ??= screen.fitted;
    desk.showOn(key, screen, screen.fitted);
    this.#shown = null;
    this.#update();
    if (desk.list.active === key) this.focus();
    return () => {
      this.#screens.delete(key);
      screen.dispose();
    };
  }

  focus(): void {
    this.active?.focus();
  }

  restyle(): void {
    if (this.#place === null) return;
    const look = terminalLook(this.#place, this.#options.settings.current);
    for (const screen of this.#screens.values()) screen.restyle(look);
  }

  // ── Typing ───────────────────────────────────────────────────────────────────────────────────────

  stick(sticky: StickyState): void {
    this.sticky = sticky;
    this.#changed();
  }

  /** As if it came from the keyboard of the terminal that is shown. */
  type(text: string): void {
    const { active } = this.#options.desk.list;
    if (active !== null) this.#typed(active, new TextEncoder().encode(text));
  }

  async pasteFromClipboard(): Promise<void> {
    const { active } = this.#options.desk.list;
    const screen = this.active;
    if (active === null || screen === undefined) return;
    const text = pasteable(await navigator.clipboard.readText());
    if (text !== '') this.#paste(active, text, screen.isBracketed);
  }

  copySelection(): void {
    const text = this.active?.selection ?? '';
    if (text !== '') this.#copy(text);
  }

  openMenu(at: { readonly x: number; readonly y: number } | null): void {
    this.menu = at;
    this.#changed();
  }

  /** The person has decided about what they were asked. */
  answer(isYes: boolean): void {
    const { question } = this;
    this.question = null;
    if (isYes && question?.kind === 'paste') this.screen(question.key)?.paste(question.text);
    if (isYes && question?.kind === 'clipboard') this.#copy(question.text);
    this.#changed();
  }

  #eventsOf(key: string): ScreenEvents {
    const { desk, settings } = this.#options;
    return {
      typed: (text) => {
        if (isFocusReport(text) && !desk.flow(key)?.reportsFocus) return;
        const isSticky = this.sticky.ctrl !== 'off' || this.sticky.alt !== 'off';
        this.#typed(key, new TextEncoder().encode(isSticky ? withSticky(text, this.sticky) : text));
        if (isSticky) this.stick(used(this.sticky));
      },
      typedBytes: (bytes) => this.#typed(key, bytes),
      pasted: (text, isBracketed) => this.#paste(key, text, isBracketed),
      copied: (text) => this.#copy(text),
      selected: (text) => {
        if (settings.current.copyOnSelect) this.#copy(text);
      },
      clipboardAsked: (data) => this.#clipboardAsked(key, data),
      fitted: (size) => this.#fitted(size),
      resized: () => this.#update(),
      menuAsked: (at) => this.openMenu(at),
      pressed: (event) => this.#pressed(event),
      linkHovered: (address) => {
        this.link = address;
        this.#changed();
      },
    };
  }

  #typed(key: string, bytes: Uint8Array): void {
    const { desk } = this.#options;
    if (!desk.mayType) return;
    desk.flow(key)?.type(bytes);
    this.#changed();
  }

  #paste(key: string, text: string, isBracketed: boolean): void {
    const { desk, settings } = this.#options;
    if (!desk.mayType) return;
    const question = settings.current.pasteWarning ? pasteQuestion(text, isBracketed) : null;
    if (question === null) return this.screen(key)?.paste(text);
    this.question = { kind: 'paste', key, ...question };
    this.#changed();
  }

  /** Only for what happens now, in the terminal somebody looks at: a replay must not touch the clipboard. */
  #clipboardAsked(key: string, data: string): void {
    const { desk, settings } = this.#options;
    const text = clipboardRequest(data);
    const { clipboardWrite } = settings.current;
    if (text === null || clipboardWrite === 'never') return;
    if (desk.list.active !== key || !desk.flow(key)?.isHappening) return;
    if (clipboardWrite === 'always') return this.#copy(text);
    this.question = { kind: 'clipboard', key, text };
    this.#changed();
  }

  /** A browser may refuse: no permission, or the page is not in front. There is nothing else to do then. */
  #copy(text: string): void {
    void navigator.clipboard?.writeText(text).catch(() => {});
  }

  #pressed(event: KeyboardEvent): boolean {
    const command = commandOf(event);
    if (command === null) return false;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === 'keydown') this.command(command);
    return true;
  }

  // ── The window ───────────────────────────────────────────────────────────────────────────────────

  /** Every tab has the same room, and only the one that is shown can tell how much; the others hear when shown. */
  #fitted(size: Size): void {
    const { desk } = this.#options;
    this.#size = size;
    if (desk.list.active !== null) desk.flow(desk.list.active)?.fitted(size);
  }

  #update(): void {
    const { desk } = this.#options;
    const { active } = desk.list;
    for (const [key, screen] of this.#screens) {
      const session = desk.flow(key)?.session;
      screen.drive(session?.state.name !== 'live' || session.isDriver);
    }
    if (active !== this.#shown && this.#screens.has(active ?? '')) {
      this.#shown = active;
      for (const [key, screen] of this.#screens) screen.show(key === active);
      if (active !== null && this.#size !== null) desk.flow(active)?.fitted(this.#size);
    }
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function isFocusReport(text: string): boolean {
  return text === '\x1b[I' || text === '\x1b[O';
}
