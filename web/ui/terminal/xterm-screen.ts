/** A terminal in the page. Its session writes to it; its events go to its owner. */
import { type ITerminalOptions, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { Beginning } from '../../../client/screen.ts';
import type { Size } from '../../../protocol/frame.ts';
import { divider, PROGRAM_RESET } from '../../../protocol/terminal/divider.ts';
import { type KeyedCore, type KeyModes, keyModesOf } from '../../../protocol/terminal/keyboard/key-modes.ts';
import type { MarkedCore } from '../../../protocol/terminal/marks/mark-rows.ts';
import { parseSteps } from '../../../protocol/terminal/parse-steps.ts';
import type { ResizedCore } from '../../../protocol/terminal/resizing.ts';
import { type MeasuringCore, WidthMode } from '../../../protocol/terminal/width/width-mode.ts';
import { CharacterJoiner } from '../../../protocol/utf8.ts';
import { restrictOutput } from './hostile-output.ts';
import { type ImagedPageCore, XtermImages } from './images/xterm-images.ts';
import type { Look } from './look.ts';
import { XtermMarks } from './marks/xterm-marks.ts';
import type { PageTerminalEvents } from './screen-events.ts';
import { RestoringResize } from './size/restoring-resize.ts';
import type { SizedScreen } from './size/sized-screen.ts';
import { usedRowsOf } from './size/used-rows.ts';
import { XtermFit } from './size/xterm-fit.ts';
import { SteadyPicture } from './steady-picture.ts';
import type { Side } from './touch-selection.ts';
import { XtermFind } from './xterm-find.ts';
import { SCROLLBACK_LINES, XtermHistory } from './xterm-history.ts';
import { listenToPerson } from './xterm-input.ts';
import { XtermLinks } from './xterm-links.ts';
import { XtermRenderer } from './xterm-renderer.ts';
import { XtermTouch } from './xterm-touch.ts';
import { scrollPrograms } from './xterm-wheel.ts';

interface XtermScreenOptions {
  readonly look: Look;
  /** Initial size where the window cannot tell, as in a hidden tab. */
  readonly size: Size | null;
  readonly mayUseWebgl: boolean;
  /** Whether the keyboard has an Option key. */
  readonly isMac: boolean;
  /** The element beside the terminal for the marks of commands. */
  readonly margin: HTMLElement | null;
}

/** Cancels an incomplete sequence or character at the end of the output. */
const CANCEL = Uint8Array.of(0x18);
const NOTHING = new Uint8Array(0);
const PAINTED_WITHIN_MS = 200;
/**
 * Stops painting (DEC mode 2026), so that one screen replaces another in a single frame, however long it is.
 * SteadyPicture ends this without a sequence: the new screen may end inside one, which another would abort.
 */
const HOLD = '\x1b[?2026h';
/** Resets the colours that programs changed, because a reset does not: the 256, foreground, background and cursor. */
const PLAIN_COLOURS = '\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\';

export class XtermScreen implements SizedScreen {
  readonly #characters = new CharacterJoiner();
  readonly #terminal: Terminal;
  readonly #renderer: XtermRenderer;
  readonly #listening = new AbortController();
  readonly #fit: XtermFit;
  readonly #widths: WidthMode;
  readonly #keys: KeyModes;
  readonly #images: XtermImages;
  readonly #picture: SteadyPicture;
  readonly #sizes: RestoringResize;
  readonly #touch: XtermTouch;
  readonly find: XtermFind;
  readonly marks: XtermMarks;
  readonly history: XtermHistory;
  #look: Look;
  /** The next write is a whole screen; the old one stays visible until it has been parsed. */
  #isScreenDue = false;
  /** The size that the terminal has once the pending writes are parsed; undefined until somebody sets one. */
  #sizeDue: Size | undefined;
  /** How many lines above the end to scroll back to, once the pending writes are parsed. */
  #returnTo = 0;

  constructor(host: HTMLElement, events: PageTerminalEvents, options: XtermScreenOptions) {
    this.#look = options.look;
    this.#terminal = new Terminal({
      ...optionsOf(options.look),
      ...options.size,
      scrollback: SCROLLBACK_LINES,
      logLevel: 'off',
      allowProposedApi: true, // needed to highlight search matches
      macOptionClickForcesSelection: true, // other systems use Shift while a program tracks the mouse
    });
    const { signal } = this.#listening;
    const links = new XtermLinks(this.#terminal, (address) => events.linkHovered(address));
    this.#terminal.open(host);
    restrictOutput(this.#terminal);
    this.#widths = new WidthMode(this.#terminal, coreOf(this.#terminal));
    this.#keys = keyModesOf(coreOf(this.#terminal));
    this.#images = new XtermImages(this.#terminal, coreOf(this.#terminal));
    this.marks = new XtermMarks(this.#terminal, coreOf(this.#terminal), { margin: options.margin, events });
    this.#touch = new XtermTouch(this.#terminal, host, { events, links, signal });
    const parts = { touch: this.#touch, keys: this.#keys, isMac: options.isMac };
    listenToPerson(this.#terminal, host, { events, signal, ...parts });
    scrollPrograms(this.#terminal);
    this.#terminal.onResize(() => events.resized());
    this.find = new XtermFind(this.#terminal, () => this.#look.find);
    this.history = new XtermHistory(this.#terminal);
    this.#picture = new SteadyPicture(this.#terminal);
    this.#sizes = new RestoringResize(this.#terminal, coreOf(this.#terminal), () => events.emptied());
    this.#renderer = new XtermRenderer(this.#terminal, options.mayUseWebgl);
    this.#fit = new XtermFit(this.#terminal, host, {
      fontSize: options.look.fontSize,
      size: options.size,
      fitted: (size) => events.fitted(size),
    });
  }

  /** The size that fits the window, whatever size the terminal has at the moment. */
  get fitted(): Size {
    return this.#fit.fitted;
  }

  /** The current size. */
  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const isScreen = this.#isScreenDue;
    this.#isScreenDue = false;
    const steps = parseSteps(this.#characters.take(bytes), this.#sizeDue ?? this.size);
    const last = steps.at(-1) ?? NOTHING;
    for (const step of steps.slice(0, -1)) this.#terminal.write(step);
    this.#terminal.write(last, () => {
      if (isScreen) this.#picture.release();
      shown();
      if (this.#returnTo > 0) this.#scrollBack();
    });
  }

  // Writes are parsed later, so every other change to the screen has to queue behind them.

  reset(beginning?: Beginning): void {
    const isScreenDue = beginning?.kind === 'snapshot';
    this.#characters.reset();
    this.#terminal.write(CANCEL, () => {
      if (isScreenDue) this.#picture.hold();
      else this.#picture.release();
      // A replay follows, usually of the same terminal: a user who had scrolled up stays at the same place.
      this.#returnTo = Math.max(this.#returnTo, this.scrolled);
      this.#terminal.reset();
      this.#widths.reset();
      this.#keys.reset();
      this.#images.reset();
      this.marks.begin();
    });
    this.#terminal.write(PLAIN_COLOURS);
    this.#isScreenDue = isScreenDue;
    if (isScreenDue) this.#terminal.write(HOLD);
  }

  /** Call it only when everything written before is parsed: the divider's position is read from the screen. */
  divide(sentence: string): void {
    this.#characters.reset();
    // What was above belongs to another session.
    this.marks.begin();
    this.#terminal.write(
      PROGRAM_RESET + divider(sentence, { cols: this.#terminal.cols, usedRows: usedRowsOf(this.#terminal) }),
    );
  }

  resize({ cols, rows }: Size): void {
    this.#sizeDue = { cols, rows };
    this.#terminal.write(NOTHING, () => {
      this.#sizes.resize({ cols, rows });
      this.#fit.letterbox();
    });
  }

  measure(widths: string): void {
    this.#terminal.write(NOTHING, () => this.#widths.begin(widths));
  }

  expectMarks(nonce: string | null): void {
    this.#terminal.write(NOTHING, () => this.marks.expect(nonce));
  }

  /** xterm draws in the next frame after parsing. A page that renders no frames is not waited for. */
  painted(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, PAINTED_WITHIN_MS);
      this.#terminal.write(NOTHING, () => requestAnimationFrame(() => setTimeout(resolve)));
    });
  }

  /** How many lines the view is scrolled up from the end. */
  get scrolled(): number {
    const { baseY, viewportY } = this.#terminal.buffer.normal;
    return baseY - viewportY;
  }

  /** Scrolls to `lines` above the end as soon as there are that many; to the end at once. */
  scrollBackTo(lines: number): void {
    this.#returnTo = lines;
    if (lines === 0) this.#terminal.scrollToBottom();
  }

  /** Whether cursor keys send their application form. */
  get hasApplicationCursor(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  /** Whether the program has bracketed paste on. */
  get isBracketed(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  /** The side with room for a bar about the touch selection; null when there is none. */
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

  /** Takes the focus, and a key that was pressed before it had it. The character of the key follows by itself. */
  press(event: KeyboardEvent): void {
    this.focus();
    const copy = new KeyboardEvent(event.type, event);
    if (this.#terminal.textarea?.dispatchEvent(copy) === false) event.preventDefault();
  }

  /** Whether this terminal is the visible one. Only that one gets a graphics context and decoded images. */
  show(isShown: boolean): void {
    this.#renderer.use(isShown);
    this.#images.show(isShown);
    if (!isShown) return;
    this.#fit.soon();
    // Characters have no width while hidden. Rows that xterm drew before it noticed are too wide.
    this.#terminal.refresh(0, this.#terminal.rows - 1);
  }

  /**
   * Whether this window decides the size. A size decided by another window is shown as it is, in a smaller font if
   * necessary.
   */
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
    this.marks.dispose();
    this.#images.dispose();
    this.#renderer.use(false);
    this.#terminal.dispose();
  }

  #scrollBack(): void {
    const { baseY } = this.#terminal.buffer.active;
    if (baseY === 0) return;
    this.#terminal.scrollToLine(Math.max(0, baseY - this.#returnTo));
    if (baseY >= this.#returnTo) this.#returnTo = 0;
  }
}

type Core = MeasuringCore & KeyedCore & MarkedCore & ResizedCore & ImagedPageCore;

function coreOf(terminal: Terminal): Core {
  return (terminal as unknown as { readonly _core: Core })._core;
}

function optionsOf({ find: _, ...options }: Look): ITerminalOptions {
  return options;
}
