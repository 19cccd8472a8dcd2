/** A terminal in the page: the one doorway to xterm. */

import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { CharacterJoiner } from '../../protocol/utf8.ts';
import '@xterm/xterm/css/xterm.css';
import type { Size } from '../../protocol/frame.ts';
import { SIZE_MAX_CELLS } from '../../protocol/limits.ts';
import { tameOutput } from './hostile-output.ts';
import { pasteable } from './pasteable.ts';
import { isSameSize, type SizedScreen } from './sized-screen.ts';
import { onLookChange, terminalLook } from './terminal-theme.ts';

export interface ScreenEvents {
  /** A person typed or pasted, or moved the mouse for a program that follows it. */
  typed(bytes: Uint8Array): void;
  /** The window has room for another size. Nothing is resized yet: that is for the owner to decide. */
  fitted(size: Size): void;
}

const SCROLLBACK_LINES = 5_000;
/** Cancels whatever sequence or character the output broke off in. */
const CANCEL = Uint8Array.of(0x18);
const NOTHING = new Uint8Array(0);
const FOCUS_REPORTS = ['\x1b[I', '\x1b[O'];

export class XtermScreen implements SizedScreen {
  readonly #host: HTMLElement;
  readonly #events: ScreenEvents;
  readonly #characters = new CharacterJoiner();
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #listening = new AbortController();
  readonly #resizes: ResizeObserver;
  readonly #stopRestyling: () => void;
  #frame = 0;
  #fitted: Size;
  #reportsFocusUnasked = false;

  constructor(host: HTMLElement, events: ScreenEvents) {
    this.#host = host;
    this.#events = events;
    this.#terminal = new Terminal({
      ...terminalLook(),
      scrollback: SCROLLBACK_LINES,
      logLevel: 'error',
    });
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.open(host);
    tameOutput(this.#terminal);
    this.#listenToPerson();
    this.#fitted = this.#proposal() ?? this.#terminal;
    this.#terminal.resize(this.#fitted.cols, this.#fitted.rows);
    this.#resizes = new ResizeObserver(() => this.#fitSoon());
    this.#resizes.observe(host);
    this.#stopRestyling = onLookChange(() => this.#restyle());
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
    this.#terminal.write(this.#characters.take(bytes), shown);
  }

  // Writes are parsed later, so what changes the screen otherwise has to queue behind them.

  reset(): void {
    this.#characters.reset();
    this.#terminal.write(CANCEL, () => this.#terminal.reset());
  }

  resize({ cols, rows }: Size): void {
    this.#terminal.write(NOTHING, () => this.#terminal.resize(cols, rows));
  }

  focus(): void {
    this.#terminal.focus();
  }

  dispose(): void {
    this.#listening.abort();
    this.#stopRestyling();
    this.#resizes.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#terminal.dispose();
  }

  // ── The person ───────────────────────────────────────────────────────────────────────────────────

  #listenToPerson(): void {
    const encoder = new TextEncoder();
    this.#terminal.onData((text) => {
      if (this.#reportsFocusUnasked && FOCUS_REPORTS.includes(text)) return;
      this.#events.typed(encoder.encode(text));
    });
    this.#terminal.onBinary((text) =>
      this.#events.typed(Uint8Array.from(text, (char) => char.charCodeAt(0) & 0xff)),
    );
    this.#muteFirstFocusReport();
    this.#terminal.attachCustomKeyEventHandler((event) => !this.#isClipboardKey(event));
    const { signal } = this.#listening;
    this.#host.addEventListener('paste', (event) => this.#paste(event), { capture: true, signal });
  }

  /**
   * xterm reports focus as soon as a program asks for such reports, also when that request is replayed to a page
   * that has just loaded, and a reload would type into vim. The report comes out of the same parser step.
   */
  #muteFirstFocusReport(): void {
    this.#terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (modes) => {
      if (modes.includes(1004)) {
        this.#reportsFocusUnasked = true;
        queueMicrotask(() => {
          this.#reportsFocusUnasked = false;
        });
      }
      return false;
    });
  }

  /** Ctrl+C and Ctrl+V belong to the shell; with Shift they are the clipboard's, as in every terminal. */
  #isClipboardKey(event: KeyboardEvent): boolean {
    if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return false;
    if (event.code === 'KeyC') {
      event.preventDefault(); // the browser's own meaning is to open its inspector
      if (event.type === 'keydown' && this.#terminal.hasSelection()) {
        void navigator.clipboard.writeText(this.#terminal.getSelection());
      }
      return true;
    }
    // The browser pastes, and unlike us it need not ask for permission.
    return event.code === 'KeyV';
  }

  #paste(event: ClipboardEvent): void {
    event.preventDefault();
    event.stopPropagation();
    this.#terminal.paste(pasteable(event.clipboardData?.getData('text/plain') ?? ''));
  }

  // ── The window ───────────────────────────────────────────────────────────────────────────────────

  /** Dragging a window's edge tells many sizes between two frames; only what is painted counts. */
  #fitSoon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      const size = this.#proposal();
      if (size === null || isSameSize(size, this.#fitted)) return;
      this.#fitted = size;
      this.#events.fitted(size);
    });
  }

  /** Null while hidden: nothing fits there, and fitting would shrink the terminal to nothing. */
  #proposal(): Size | null {
    if (this.#host.clientWidth === 0 || this.#host.clientHeight === 0) return null;
    const proposal = this.#fit.proposeDimensions();
    if (proposal === undefined || Number.isNaN(proposal.cols) || Number.isNaN(proposal.rows)) return null;
    return { cols: Math.min(proposal.cols, SIZE_MAX_CELLS), rows: Math.min(proposal.rows, SIZE_MAX_CELLS) };
  }

  #restyle(): void {
    Object.assign(this.#terminal.options, terminalLook());
    this.#fitSoon();
  }
}
