/** A terminal in the page. What it is written comes from the session, what it tells goes to its owner. */
import { type ITerminalOptions, type ITheme, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { Size } from '../../protocol/frame.ts';
import { CharacterJoiner } from '../../protocol/utf8.ts';
import type { Beginning } from '../client/screen.ts';
import { type Extent, fitSize, fontToFit } from './fit.ts';
import { tameOutput } from './hostile-output.ts';
import { isSameSize, type SizedScreen } from './sized-screen.ts';
import { scrollByTouch } from './touch-scroll.ts';
import { type FindColours, XtermFind } from './xterm-find.ts';
import { listenToPerson } from './xterm-input.ts';
import { openLinks } from './xterm-links.ts';
import { XtermRenderer } from './xterm-renderer.ts';

export interface ScreenEvents {
  /** A person typed, or moved the mouse for a program that follows it. */
  typed(text: string): void;
  /** The same in bytes that are no text. */
  typedBytes(bytes: Uint8Array): void;
  /** A person pastes; `isBracketed`: the program takes it as one piece. */
  pasted(text: string, isBracketed: boolean): void;
  /** A person copies. */
  copied(text: string): void;
  selected(text: string): void;
  /** A program asks for the clipboard; what it sent, unread. */
  clipboardAsked(data: string): void;
  /** The window has room for another size. Nothing is resized yet: that is for the owner to decide. */
  fitted(size: Size): void;
  resized(): void;
  menuAsked(at: { readonly x: number; readonly y: number }): void;
  /** What a press of a key means to the page; true when it is not for the terminal. */
  pressed(event: KeyboardEvent): boolean;
  /** Where a link leads, while the mouse is over it. */
  linkHovered(address: string | null): void;
}

export interface Look {
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly theme: ITheme;
  readonly minimumContrastRatio: number;
  readonly cursorBlink: boolean;
  readonly screenReaderMode: boolean;
  readonly find: FindColours;
}

export interface ScreenOptions {
  readonly look: Look;
  /** Size to begin with where the window can not tell, as in a hidden tab. */
  readonly size: Size | null;
  readonly mayUseWebgl: boolean;
}

const SCROLLBACK_LINES = 5_000;
/** Cancels whatever sequence or character the output broke off in. */
const CANCEL = Uint8Array.of(0x18);
const NOTHING = new Uint8Array(0);
/** Between these nothing is painted (DEC mode 2026): a screen replaces another in one frame, however long it is. */
const HOLD = '\x1b[?2026h';
const PAINT = '\x1b[?2026l';
/** What xterm keeps free at the right for its scroll bar. */
const SCROLL_BAR_PX = 14;

export class XtermScreen implements SizedScreen {
  readonly #host: HTMLElement;
  readonly #events: ScreenEvents;
  readonly #characters = new CharacterJoiner();
  readonly #terminal: Terminal;
  readonly #renderer: XtermRenderer;
  readonly #listening = new AbortController();
  readonly #resizes: ResizeObserver;
  readonly find: XtermFind;
  #look: Look;
  #frame = 0;
  #fitted: Size;
  /** A cell at the font size that was asked for; unknown until it could be measured. */
  #cell: Extent | null = null;
  #isDriving = true;
  /** The next write is a whole screen, and until it is there the old one stays. */
  #isScreenDue = false;
  /** Lines from the end to go back to, once what is being written has been shown. */
  #returnTo = 0;

  constructor(host: HTMLElement, events: ScreenEvents, options: ScreenOptions) {
    this.#host = host;
    this.#events = events;
    this.#look = options.look;
    this.#terminal = new Terminal({
      ...optionsOf(options.look),
      ...options.size,
      scrollback: SCROLLBACK_LINES,
      logLevel: 'off',
      allowProposedApi: true, // the marks of found text need it
      macOptionIsMeta: true,
    });
    const { signal } = this.#listening;
    openLinks(this.#terminal, (address) => events.linkHovered(address));
    this.#terminal.open(host);
    tameOutput(this.#terminal);
    listenToPerson(this.#terminal, host, events, signal);
    scrollByTouch(this.#terminal, host, signal);
    this.#terminal.onResize(() => events.resized());
    this.find = new XtermFind(this.#terminal, () => this.#look.find);
    this.#renderer = new XtermRenderer(this.#terminal, options.mayUseWebgl);
    this.#measure();
    this.#fitted = this.#proposal() ?? options.size ?? this.size;
    this.#terminal.resize(this.#fitted.cols, this.#fitted.rows);
    this.#resizes = new ResizeObserver(() => this.#fitSoon());
    this.#resizes.observe(host);
  }

  /** What fits the window, whatever size the terminal has at the moment. */
  get fitted(): Size {
    const { cols, rows } = this.#fitted;
    return { cols, rows };
  }

  /** What it has at the moment. */
  get size(): Size {
    const { cols, rows } = this.#terminal;
    return { cols, rows };
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#terminal.write(this.#characters.take(bytes), () => {
      shown();
      if (this.#returnTo > 0) this.#scrollBack();
    });
    if (this.#isScreenDue) this.#terminal.write(PAINT);
    this.#isScreenDue = false;
  }

  // Writes are parsed later, so what changes the screen otherwise has to queue behind them.

  reset(beginning?: Beginning): void {
    this.#characters.reset();
    this.#terminal.write(CANCEL, () => {
      // Another beginning follows, mostly of the same terminal: who was reading above the end goes on there.
      this.#returnTo = Math.max(this.#returnTo, this.scrolled);
      this.#terminal.reset();
    });
    this.#isScreenDue = beginning?.kind === 'snapshot';
    if (this.#isScreenDue) this.#terminal.write(HOLD);
  }

  resize({ cols, rows }: Size): void {
    this.#terminal.write(NOTHING, () => {
      this.#terminal.resize(cols, rows);
      this.#letterbox();
    });
  }

  /** Lines between the end and what is shown. */
  get scrolled(): number {
    const { baseY, viewportY } = this.#terminal.buffer.normal;
    return baseY - viewportY;
  }

  /** Shows what is `lines` above the end as soon as there is so much. */
  scrollBackTo(lines: number): void {
    this.#returnTo = lines;
  }

  /** Whether cursor keys have their other form. */
  get hasApplicationCursor(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  /** Whether the program takes a paste as one piece. */
  get isBracketed(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  selectAll(): void {
    this.#terminal.selectAll();
  }

  paste(text: string): void {
    this.#terminal.paste(text);
  }

  focus(): void {
    this.#terminal.focus();
  }

  /** Whether this is the terminal that is looked at. Only that one is worth a graphics context. */
  show(isShown: boolean): void {
    this.#renderer.use(isShown);
    if (isShown) this.#fitSoon();
  }

  /** Whether this window decides the size; another's is shown as it is, smaller if need be. */
  drive(isDriving: boolean): void {
    if (this.#isDriving === isDriving) return;
    this.#isDriving = isDriving;
    this.#letterbox();
  }

  restyle(look: Look): void {
    this.#look = look;
    Object.assign(this.#terminal.options, optionsOf(look));
    this.#cell = null;
    this.#fitSoon();
  }

  dispose(): void {
    this.#listening.abort();
    this.#resizes.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#renderer.use(false);
    this.#terminal.dispose();
  }

  // ── The window ───────────────────────────────────────────────────────────────────────────────────

  /** Dragging a window's edge tells many sizes between two frames; only what is painted counts. */
  #fitSoon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      this.#measure();
      const size = this.#proposal();
      if (size === null) return;
      const isNew = !isSameSize(size, this.#fitted);
      this.#fitted = size;
      if (isNew) this.#events.fitted(size);
      this.#letterbox();
    });
  }

  #room(): Extent {
    return { width: this.#host.clientWidth - SCROLL_BAR_PX, height: this.#host.clientHeight };
  }

  #proposal(): Size | null {
    return this.#cell === null ? null : fitSize(this.#room(), this.#cell);
  }

  /** Only at its full font size: a smaller one is rounded otherwise. */
  #measure(): void {
    if (this.#terminal.options.fontSize !== this.#look.fontSize) return;
    const screen = this.#terminal.element?.querySelector('.xterm-screen');
    if (!screen || screen.clientWidth === 0) return;
    const { width, height } = screen.getBoundingClientRect();
    this.#cell = { width: width / this.#terminal.cols, height: height / this.#terminal.rows };
  }

  #letterbox(): void {
    if (this.#cell === null) return;
    const room = this.#room();
    if (room.width <= 0) return;
    const { fontSize } = this.#look;
    const wanted = this.#isDriving ? fontSize : fontToFit(room, this.#cell, this.size, fontSize);
    if (this.#terminal.options.fontSize !== wanted) this.#terminal.options.fontSize = wanted;
    this.#host.toggleAttribute('data-letterbox', !this.#isDriving && !isSameSize(this.size, this.#fitted));
  }

  #scrollBack(): void {
    const { baseY } = this.#terminal.buffer.active;
    if (baseY === 0) return;
    this.#terminal.scrollToLine(Math.max(0, baseY - this.#returnTo));
    if (baseY >= this.#returnTo) this.#returnTo = 0;
  }
}

function optionsOf({ find: _, ...options }: Look): ITerminalOptions {
  return options;
}
