/**
 * The terminals on the page: one xterm per tab, kept as long as the tab exists, whatever happens to the connection.
 * [P21] This class connects the tabs, which know nothing of the DOM, with React, which gives each terminal its element.
 */
import type { Size } from '../../../protocol/frame.ts';
import type { Theme } from '../../../protocol/messages/message-parts.ts';
import { commandOf } from '../commands/command-keys.ts';
import type { PageCommand } from '../commands/command-table.ts';
import { keepFocus } from '../elements/keep-focus.ts';
import { isMac, optionComposes } from '../settings/platform.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { onLookChange, terminalLook } from '../settings/terminal-theme.ts';
import { areaOf, splitOf } from '../tabs/splits.ts';
import type { Tabs, TabsChange } from '../tabs/tabs.ts';
import type { PageTerminalEvents } from '../terminal/screen-events.ts';
import { sizeIn, wholeSize } from '../terminal/size/pane-size.ts';
import { toldTheme } from '../terminal/told-theme.ts';
import { XtermScreen } from '../terminal/xterm-screen.ts';
import type { CommandTimes } from '../text/command-times.ts';
import { CommandMarks } from './command-marks.ts';
import { hasPlainKeys } from './shells.ts';
import { TerminalInput } from './terminal-input.ts';

interface StageOptions {
  readonly windowTabs: Tabs;
  readonly settings: SettingsStore;
  readonly mayUseWebgl: boolean;
  /** Tells the agent the terminals' colours. */
  readonly tellTheme: (theme: Theme) => void;
  /** When the commands of a session began, and how long they took. */
  readonly commandTimes: CommandTimes;
}

/** What has changed: the terminal of one tab, or what is shown beside the terminals. */
type ViewsChange = { readonly of: 'tab'; readonly key: string } | { readonly of: 'page' };

/** What a terminal has that is alone in its tab. */
interface Room {
  readonly size: Size;
  /** Whether it was measured there, and not in a pane. */
  readonly isExact: boolean;
}

export interface TappedLink {
  readonly address: string;
  /** Whether the terminal had the focus. On a phone, the keyboard opens and closes with it. */
  readonly hadFocus: boolean;
}

export class TerminalViews {
  readonly #options: StageOptions;
  readonly #screens = new Map<string, XtermScreen>();
  readonly #listeners = new Set<(change: ViewsChange) => void>();
  readonly #stops: (() => void)[] = [];
  readonly input: TerminalInput;
  readonly marks: CommandMarks;
  #place: HTMLElement | null = null;
  /** The terminals that are shown. */
  #shown = '';
  #room: Room | null = null;
  menu: { readonly x: number; readonly y: number } | null = null;
  link: string | null = null;
  /** The link that the user tapped, until they decide whether to open it. */
  tapped: TappedLink | null = null;
  /** Runs a command of the page's own keyboard shortcuts. */
  command: (command: PageCommand) => void = () => {};

  constructor(options: StageOptions) {
    this.#options = options;
    const { windowTabs, settings } = options;
    const changed = () => this.#changed();
    const screen = (key: string | null) => this.screen(key);
    this.input = new TerminalInput({ windowTabs, settings, screen, changed });
    const { commandTimes } = options;
    this.marks = new CommandMarks({ windowTabs, screen, commandTimes, changed, now: () => new Date() });
  }

  start(place: HTMLElement): void {
    const { windowTabs, settings } = this.#options;
    this.#place = place;
    const listening = new AbortController();
    const keep = () => windowTabs.keep((key) => this.#screens.get(key)?.scrolled ?? windowTabs.scrolled(key));
    addEventListener('pagehide', keep, { signal: listening.signal });
    const look = () => windowTabs.setPageVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look, { signal: listening.signal });
    look();
    const keyboard = {
      focus: () => this.focus(),
      press: (event: KeyboardEvent) => this.active?.press(event),
    };
    keepFocus(place, keyboard, listening.signal);
    this.#stops.push(
      () => listening.abort(),
      windowTabs.onChange((change) => this.#update(change)),
      settings.onChange(() => this.restyle()),
      onLookChange(place, () => this.restyle()),
    );
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    for (const screen of this.#screens.values()) screen.dispose();
    this.#screens.clear();
  }

  /** Calls `listener` after every change, with what it is about. Returns a function that removes it. */
  onChange(listener: (change: ViewsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  screen(key: string | null): XtermScreen | undefined {
    return key === null ? undefined : this.#screens.get(key);
  }

  get active(): XtermScreen | undefined {
    return this.screen(this.#options.windowTabs.list.active);
  }

  get activeKey(): string | null {
    return this.#options.windowTabs.list.active;
  }

  /** The terminals' font size in pixels; null before they are on the page. */
  get fontSize(): number | null {
    return this.#place === null ? null : terminalLook(this.#place, this.#options.settings.current).fontSize;
  }

  /** Creates a tab's terminal in its element; the returned function removes it. */
  mount(key: string, host: HTMLElement, margin: HTMLElement | null): () => void {
    const { windowTabs, mayUseWebgl, settings } = this.#options;
    const look = terminalLook(host, settings.current);
    this.#options.tellTheme(toldTheme(look));
    const screen = new XtermScreen(host, this.#eventsOf(key), {
      look,
      size: this.#room === null ? null : sizeIn(areaOf(windowTabs.list, key), this.#room.size),
      mayUseWebgl,
      isMac: isMac(),
      margin,
    });
    this.#screens.set(key, screen);
    screen.scrollBackTo(windowTabs.scrolled(key));
    if (this.#room === null) this.#measured(key, screen.fitted);
    windowTabs.showOn(key, screen, screen.fitted);
    this.#shown = '';
    this.#update({ of: 'window' });
    this.#changed({ of: 'tab', key });
    if (windowTabs.list.active === key) this.focus();
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
    this.#options.tellTheme(toldTheme(look));
    for (const screen of this.#screens.values()) screen.restyle(look);
  }

  openMenu(at: { readonly x: number; readonly y: number } | null): void {
    this.menu = at;
    this.#changed();
  }

  /** Asks whether to open a link; null withdraws the question. */
  askToOpen(address: string | null): void {
    const hadFocus = this.#place?.ownerDocument.activeElement?.closest('.xterm') != null;
    this.tapped = address === null ? null : { address, hadFocus };
    this.#changed();
  }

  #eventsOf(key: string): PageTerminalEvents {
    const { input } = this;
    return {
      typed: (text) => input.typed(key, text),
      typedBytes: (bytes) => input.typedBytes(key, bytes),
      pasted: (text, isBracketed) => input.pasted(key, text, isBracketed),
      copied: (text) => input.copy(text),
      selected: (text) => input.selected(text),
      clipboardAsked: (data) => input.clipboardAsked(key, data),
      fitted: (size) => this.#fitted(key, size),
      resized: () => this.#changed({ of: 'tab', key }),
      emptied: () => this.#options.windowTabs.flow(key)?.session?.redraw(),
      menuAsked: (at) => this.openMenu(at),
      pressed: (event) => this.#pressed(event),
      hasPlainKeys: () =>
        hasPlainKeys(this.#options.windowTabs.flow(key)?.session?.description?.foreground ?? null),
      linkHovered: (address) => {
        this.link = address;
        this.#changed();
      },
      linkTapped: (address) => this.askToOpen(address),
      marked: () => this.marks.marked(key),
      markPointed: (mark) => this.marks.point(key, mark),
      markChosen: (mark) => this.marks.open(key, mark),
      touchSelected: () => this.#changed(),
    };
  }

  #pressed(event: KeyboardEvent): boolean {
    const command = commandOf(event, optionComposes(this.#options.settings.current));
    // Without commands to go to, the keys are the program's.
    if (command === null || (command.kind === 'prompt' && this.active?.marks.canJump !== true)) return false;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === 'keydown') this.command(command);
    return true;
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  /** Only a visible terminal can measure its room. Hidden ones are told when shown. */
  #fitted(key: string, size: Size): void {
    this.#measured(key, size);
    this.#options.windowTabs.flow(key)?.fitted(size);
    this.#changed({ of: 'tab', key });
  }

  #measured(key: string, size: Size): void {
    const { list, panes } = this.#options.windowTabs;
    const area = panes.arrangement.areas.get(key);
    if (area === undefined) return;
    this.#room = { size: wholeSize(area, size), isExact: splitOf(list, key) === null };
  }

  #update(change: TabsChange): void {
    if (change.of === 'tab') return this.#drive(change.key, this.#screens.get(change.key));
    const { windowTabs } = this.#options;
    const { list, panes } = windowTabs;
    for (const [key, screen] of this.#screens) this.#drive(key, screen);
    const shown = [...this.#screens.keys()].filter((key) => panes.isShown(key)).join(' ');
    if (shown === this.#shown || shown === '') return;
    this.#shown = shown;
    for (const [key, screen] of this.#screens) screen.show(panes.isShown(key));
    // The window may have another size than when this terminal was shown last. Panes measure theirs in the next frame.
    if (list.active !== null && splitOf(list, list.active) === null && this.#room?.isExact === true)
      windowTabs.flow(list.active)?.fitted(this.#room.size);
  }

  #drive(key: string, screen: XtermScreen | undefined): void {
    const session = this.#options.windowTabs.flow(key)?.session;
    screen?.drive(session?.state.name !== 'live' || session.isDriver);
  }

  #changed(change: ViewsChange = { of: 'page' }): void {
    for (const listener of this.#listeners) listener(change);
  }
}
