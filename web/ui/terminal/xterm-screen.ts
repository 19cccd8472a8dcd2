/** A terminal in the page. What it is written comes from the session, what it tells goes to its owner. */
import { type ITerminalOptions, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { Beginning } from '../../../client/screen.ts';
import type { Size } from '../../../protocol/frame.ts';
import { divider, PROGRAM_RESET } from '../../../protocol/terminal/divider.ts';
import { CharacterJoiner } from '../../../protocol/utf8.ts';
import { restrictOutput } from './hostile-output.ts';
import type { Look } from './look.ts';
import type { PageTerminalEvents } from './screen-events.ts';
import type { SizedScreen } from './sized-screen.ts';
import { SteadyPicture } from './steady-picture.ts';
import type { Side } from './touch-selection.ts';
import { XtermFind } from './xterm-find.ts';
import { XtermFit } from './xterm-fit.ts';
import { listenToPerson } from './xterm-input.ts';
import { XtermLinks } from './xterm-links.ts';
import { XtermRenderer } from './xterm-renderer.ts';
import { XtermTouch } from './xterm-touch.ts';
import { scrollPrograms } from './xterm-wheel.ts';

interface XtermScreenOptions {
  readonly look: Look;
  /** Size to begin with where the window cannot tell, as in a hidden tab. */
  readonly size: Size | null;
  readonly mayUseWebgl: boolean;
}

const SCROLLBACK_LINES = 5_000;
/** Cancels whatever sequence or character the output broke off in. */
const CANCEL = Uint8Array.of(0x18);
const NOTHING = new Uint8Array(0);
const PAINTED_WITHIN_MS = 200;
/**
 * From here nothing is painted (DEC mode 2026), so that a screen replaces another in one frame, however long it is. The
 * picture ends this without a sequence: a screen may end inside one, which another would abort.
 */
const HOLD = '\x1b[?2026h';
/** Sets back the colours that programs changed, which a reset leaves: the 256, foreground, background and cursor. */
const PLAIN_COLOURS = '\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\';

export class XtermScreen implements SizedScreen {
  readonly #characters = new CharacterJoiner();
  readonly #terminal: Terminal;
  readonly #renderer: XtermRenderer;
  readonly #listening = new AbortController();
  readonly #fit: XtermFit;
  readonly #picture: SteadyPicture;
  readonly #touch: XtermTouch;
  readonly find: XtermFind;
  #look: Look;
  /** The next write is a whole screen, and until it is there the old one stays. */
  #isScreenDue = false;
  /** Lines from the end to go back to, once what is being written has been shown. */
  #returnTo = 0;

  constructor(host: HTMLElement, events: PageTerminalEvents, options: XtermScreenOptions) {
    this.#look = options.look;
    this.#terminal = new Terminal({
      ...optionsOf(options.look),
      ...options.size,
      scrollback: SCROLLBACK_LINES,
      logLevel: 'off',
      allowProposedApi: true, // the marks of found text need it
      macOptionClickForcesSelection: true, // elsewhere Shift does, where a program follows the mouse
    });
    const { signal } = this.#listening;
    const links = new XtermLinks(this.#terminal, (address) => events.linkHovered(address));
    this.#terminal.open(host);
    restrictOutput(this.#terminal);
    this.#touch = new XtermTouch(this.#terminal, host, { events, links, signal });
    listenToPerson(this.#terminal, host, { events, touch: this.#touch, signal });
    scrollPrograms(this.#terminal);
    this.#terminal.onResize(() => events.resized());
    this.find = new XtermFind(this.#terminal, () => this.#look.find);
    this.#picture = new SteadyPicture(this.#terminal);
    this.#renderer = new XtermRenderer(this.#terminal, options.mayUseWebgl);
    this.#fit = new XtermFit(this.#terminal, host, {
      fontSize: options.look.fontSize,
      size: options.size,
      fitted: (size) => events.fitted(size),
    });
  }

  /** What fits the window, whatever size the terminal has at the moment. */
  get fitted(): Size {
    return this.#fit.fitted;
  }

  /** What it has at the moment. */
  get size(): Size {
    const { cols, rows } = this.#terminal;
    return { cols, rows };
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const isScreen = this.#isScreenDue;
    this.#isScreenDue = false;
    const text = this.#characters.take(bytes);
    this.#terminal.write(text, () => {
      if (isScreen) this.#picture.release();
      shown();
      if (this.#returnTo > 0) this.#scrollBack();
    });
  }

  // Writes are parsed later, so what changes the screen otherwise has to queue behind them.

  reset(beginning?: Beginning): void {
    const isScreenDue = beginning?.kind === 'snapshot';
    this.#characters.reset();
    this.#terminal.write(CANCEL, () => {
      if (isScreenDue) this.#picture.hold();
      else this.#picture.release();
      // Another beginning follows, mostly of the same terminal: who was reading above the end goes on there.
      this.#returnTo = Math.max(this.#returnTo, this.scrolled);
      this.#terminal.reset();
    });
    this.#terminal.write(PLAIN_COLOURS);
    this.#isScreenDue = isScreenDue;
    if (isScreenDue) this.#terminal.write(HOLD);
  }

  /** Everything written before is to be parsed by now: where the divider goes is read from the screen. */
  divide(sentence: string): void {
    this.#characters.reset();
    this.#terminal.write(
      PROGRAM_RESET + divider(sentence, { cols: this.#terminal.cols, usedRows: this.#usedRows }),
    );
  }

  resize({ cols, rows }: Size): void {
    this.#terminal.write(NOTHING, () => {
      this.#terminal.resize(cols, rows);
      this.#fit.letterbox();
    });
  }

  /** xterm draws in the next frame after it has parsed; a page that makes no frames is not waited for. */
  painted(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, PAINTED_WITHIN_MS);
      this.#terminal.write(NOTHING, () => requestAnimationFrame(() => setTimeout(resolve)));
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

  /** Where a bar for what was selected by touch has room; null when nothing was. */
  get touchSelection(): Side | null {
    return this.#touch.selectionSide;
  }

  selectAll(): void {
    this.#terminal.selectAll();
  }

  clearSelection(): void {
    this.#terminal.clearSelection();
  }

  paste(text: string): void {
    this.#terminal.paste(text);
  }

  focus(): void {
    this.#terminal.focus();
  }

  /** Takes the keyboard, and a key that was pressed before it had it. What the key prints follows by itself. */
  press(event: KeyboardEvent): void {
    this.focus();
    const copy = new KeyboardEvent(event.type, event);
    if (this.#terminal.textarea?.dispatchEvent(copy) === false) event.preventDefault();
  }

  /** Whether this is the terminal that is looked at. Only that one is worth a graphics context. */
  show(isShown: boolean): void {
    this.#renderer.use(isShown);
    if (!isShown) return;
    this.#fit.soon();
    // Hidden, characters have no width. Rows that were drawn before xterm had heard of that are too wide.
    this.#terminal.refresh(0, this.#terminal.rows - 1);
  }

  /** Whether this window decides the size; another's is shown as it is, smaller if need be. */
  drive(isDriving: boolean): void {
    this.#fit.drive(isDriving);
  }

  restyle(look: Look): void {
    this.#look = look;
    Object.assign(this.#terminal.options, optionsOf(look));
    this.#fit.restyled(look.fontSize);
  }

  dispose(): void {
    this.#listening.abort();
    this.#fit.dispose();
    this.#renderer.use(false);
    this.#terminal.dispose();
  }

  /** Rows of the normal screen down to the last one with text. */
  get #usedRows(): number {
    const { normal } = this.#terminal.buffer;
    let rows = this.#terminal.rows;
    while (
      rows > 0 &&
      !normal
        .getLine(normal.baseY + rows - 1)
        ?.translateToString(true)
        .trim()
    )
      rows--;
    return rows;
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
