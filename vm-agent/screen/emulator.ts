/**
 * One headless terminal: it takes a session's output and returns its state. Everything here is synchronous and
 * independent of threads and time; host.ts schedules the work.
 */

import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { SessionProgress } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { boundColourLists } from '../../protocol/terminal/colour-lists.ts';
import type { ImageRoom } from '../../protocol/terminal/images/image-store.ts';
import { TerminalImages } from '../../protocol/terminal/images/terminal-images.ts';
import type { KeyModes } from '../../protocol/terminal/keyboard/key-modes.ts';
import { MarkRows } from '../../protocol/terminal/marks/mark-rows.ts';
import { resizeTerminal } from '../../protocol/terminal/resizing.ts';
import { WidthMode } from '../../protocol/terminal/width/width-mode.ts';
import { halfCharacterBytes } from '../../protocol/utf8.ts';
import { type Guards, guard } from './guards.ts';
import { STEP_FULL_SIZE_CELLS, STEP_MAX_BYTES, STEP_MIN_BYTES } from './limits.ts';
import { concat, PendingSequence } from './pending.ts';
import { directoryOf } from './sequences/cwd.ts';
import { answerGraphicsQueries } from './sequences/graphics-queries.ts';
import { answeredKeyModes } from './sequences/key-queries.ts';
import { Modes, schemeReport, sizeReport } from './sequences/modes.ts';
import { listenForNotices, type Notice } from './sequences/notices.ts';
import { progressOf } from './sequences/progress.ts';
import type { OwnState, SnapshotExtent } from './serializer/ansi.ts';
import { copyOf } from './serializer/terminal-copy.ts';
import { TerminalText } from './serializer/terminal-text.ts';
import { createXterm } from './xterm/create-xterm.ts';
import { Palette } from './xterm/palette.ts';
import type { Xterm } from './xterm/xterm.ts';

interface EmulatorEvents {
  /** The terminal's reply to a query by the program. */
  answer(text: string): void;
  /** What the program is told without asking each time, because it set a mode. */
  report(text: string): void;
  title(title: string): void;
  /** How far the program's work is (OSC 9;4); null: it reports no more. */
  progress(progress: SessionProgress | null): void;
  /** The directory the shell reported (OSC 7). */
  cwd(path: string): void;
  bell(): void;
  /** The program calls a person (OSC 9, 99, 777). */
  notice?(notice: Notice): void;
}

interface EmulatorOptions {
  readonly size: Size;
  readonly scrollbackLines: number;
  readonly theme?: Theme;
  /** The version of the model that measures text; by default the newest. */
  readonly widths?: string | undefined;
  /** The nonce of the marks that the session's shell makes; null if it makes none that can be verified. */
  readonly marksNonce?: string | null | undefined;
  /** For images, if they share it with those of other terminals. */
  readonly imageRoom?: ImageRoom | undefined;
  readonly events: EmulatorEvents;
}

const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

export class Emulator {
  readonly #xterm: Xterm;
  readonly #guards: Guards;
  readonly #palette: Palette;
  readonly #widths: WidthMode;
  readonly marks: MarkRows;
  readonly images: TerminalImages;
  readonly keys: KeyModes;
  /** The modes that xterm does not have. */
  readonly modes: Modes;
  readonly #events: EmulatorEvents;
  readonly #pending = new PendingSequence();
  #held: Uint8Array = NOTHING;
  #isRestoring = false;
  #faults = 0;
  #cwd: string | null = null;

  constructor(options: EmulatorOptions) {
    const { size, scrollbackLines, theme, widths, marksNonce = null, imageRoom, events } = options;
    this.#xterm = createXterm(size, scrollbackLines);
    this.#guards = guard(this.#xterm.core);
    boundColourLists(this.#xterm.terminal.parser);
    this.#widths = new WidthMode(this.#xterm.terminal, this.#xterm.core);
    if (widths !== undefined) this.#widths.begin(widths);
    this.marks = new MarkRows(this.#xterm.terminal, this.#xterm.core);
    this.marks.begin(marksNonce);
    this.images = new TerminalImages(this.#xterm.core, { room: imageRoom });
    this.#palette = new Palette(theme);
    this.#events = events;
    const answer = (text: string) => this.#announce((listener) => listener.answer(text));
    this.keys = answeredKeyModes(this.#xterm.core, this.#xterm.terminal.parser, answer);
    this.modes = new Modes(this.#xterm.core, {
      scheme: () => this.#palette.scheme,
      isClustered: () => this.#widths.isClustered,
      answer,
    });
    answerGraphicsQueries(this.#xterm.core, this.#xterm.terminal.parser, answer);
    this.#listen();
  }

  get size(): Size {
    const { cols, rows } = this.#xterm.core;
    return { cols, rows };
  }

  get title(): string {
    return this.#xterm.core._inputHandler._windowTitle;
  }

  get cwd(): string | null {
    return this.#cwd;
  }

  /** Bytes at the end of the output that are an incomplete character and therefore not part of the state. */
  get heldBytes(): number {
    return this.#held.length;
  }

  /** The internals, for code that compares terminals. */
  get xterm(): Xterm {
    return this.#xterm;
  }

  /** How many bytes to write at once, so that even the costliest sequences take no longer than a slice. */
  get stepBytes(): number {
    const { cols, rows } = this.#xterm.core;
    const step = Math.floor((STEP_MAX_BYTES * STEP_FULL_SIZE_CELLS) / (cols * rows));
    return Math.min(STEP_MAX_BYTES, Math.max(STEP_MIN_BYTES, step));
  }

  /** Returns what became part of the state: an incomplete character at the end did not. */
  write(bytes: Uint8Array): Uint8Array {
    const all = this.#held.length === 0 ? bytes : concat(this.#held, bytes);
    const whole = all.subarray(0, all.length - halfCharacterBytes(all));
    this.#held = all.slice(whole.length);
    const { _inputHandler: input } = this.#xterm.core;
    this.#parse(whole);
    const { currentState: state } = input._parser;
    this.#pending.parsed(whole, { state, overlong: this.#guards.overlong });
    if (this.#pending.length > this.#guards.pendingMaxBytes) this.#abandon(state);
    return whole;
  }

  /** The length limit counts characters, but the parser skips some bytes of an OSC or DCS that are still kept here. */
  #abandon(state: number): void {
    this.#guards.abandon();
    this.#pending.parsed(NOTHING, { state, overlong: true });
  }

  /**
   * An exception inside xterm must not end the thread, which holds the screens of other sessions too. The rest of the
   * step is lost, a few KiB at most, and the terminal continues with the next one.
   */
  #parse(bytes: Uint8Array): void {
    const { _inputHandler: input } = this.#xterm.core;
    try {
      input.parse(bytes);
    } catch {
      input._parser.reset();
      this.#faults++;
    }
  }

  /** How often xterm threw an exception. */
  get faults(): number {
    return this.#faults;
  }

  /** Writes a snapshot to this fresh terminal; it causes no replies and no events. */
  restore(bytes: Uint8Array): void {
    this.#isRestoring = true;
    this.write(bytes);
    this.#isRestoring = false;
  }

  resize({ cols, rows }: Size): void {
    const { cols: colsBefore, rows: rowsBefore } = this.#xterm.core;
    resizeTerminal(this.#xterm.terminal, this.#xterm.core, { cols, rows });
    if (!this.modes.reportsSize || (cols === colsBefore && rows === rowsBefore)) return;
    this.#announce((events) => events.report(sizeReport({ cols, rows })));
  }

  setTheme(theme: Theme): void {
    const before = this.#palette.scheme;
    this.#palette.setTheme(theme);
    const { scheme } = this.#palette;
    if (this.modes.reportsScheme && scheme !== before)
      this.#announce((events) => events.report(schemeReport(scheme)));
  }

  setCwd(path: string | null): void {
    this.#cwd = path;
  }

  /** The state as text. Do not write to this terminal before the last piece was taken. */
  get text(): TerminalText {
    return new TerminalText(this.#xterm.core, this.#palette, this.#ownState(), this.#pending.bytes);
  }

  /** The same from a copy. Copying takes several steps; after them this terminal may continue. */
  *copy(scope: SnapshotExtent): Generator<void, TerminalText> {
    const core = yield* copyOf(this.#xterm.core, scope);
    return new TerminalText(core, this.#palette.copy(), this.#ownState(), this.#pending.bytes);
  }

  /** What an ANSI snapshot ends with: the sequence that was cut. */
  get pendingBytes(): Uint8Array {
    return this.#pending.bytes;
  }

  dispose(): void {
    this.images.reset();
    this.#xterm.terminal.dispose();
  }

  #ownState(): OwnState {
    const { initial } = this.#widths;
    const widths = { initial, active: this.#xterm.terminal.unicode.activeVersion };
    const marks = { ...this.marks.state, nonce: this.marks.nonce };
    const images = { images: new Map(this.images.images), hasTiles: this.images.hasTiles };
    return { widths, modes: this.modes.written, keys: this.keys.state, marks, images };
  }

  #listen(): void {
    const { terminal, core } = this.#xterm;
    const input = core._inputHandler;
    terminal.onData((text) => this.#announce((events) => events.answer(text)));
    terminal.onBell(() => this.#announce((events) => events.bell()));
    input.onColor((requests) => {
      const answer = this.#palette.handle(requests);
      if (answer !== '') this.#announce((events) => events.answer(answer));
    });
    terminal.parser.registerOscHandler(0, (text) => this.#setTitle(text) && this.#setIcon(text));
    terminal.parser.registerOscHandler(1, (text) => this.#setIcon(text));
    terminal.parser.registerOscHandler(2, (text) => this.#setTitle(text));
    terminal.parser.registerOscHandler(7, (text) => this.#enter(text));
    terminal.parser.registerOscHandler(9, (text) => this.#advance(progressOf(text)));
    listenForNotices(terminal.parser, (notice) => this.#announce((events) => events.notice?.(notice)));
    terminal.parser.registerEscHandler({ final: 'c' }, () => {
      this.#advance(null);
      return false;
    });
    // XTVERSION: programs look up features by it.
    terminal.parser.registerCsiHandler({ prefix: '>', final: 'q' }, (params) => {
      if (params[0] === 0) this.#announce((events) => events.answer('\x1bP>|xterm.js(6.0.0)\x1b\\'));
      return true;
    });
  }

  #announce(tell: (events: EmulatorEvents) => void): void {
    if (!this.#isRestoring) tell(this.#events);
  }

  #setTitle(text: string): boolean {
    const title = printable(text);
    this.#xterm.core._inputHandler.setTitle(title);
    this.#announce((events) => events.title(title));
    return true;
  }

  #setIcon(text: string): boolean {
    this.#xterm.core._inputHandler.setIconName(printable(text));
    return true;
  }

  /** Not part of the terminal's state: whoever listens keeps it. */
  #advance(progress: SessionProgress | null | undefined): true {
    if (progress !== undefined) this.#announce((events) => events.progress(progress));
    return true;
  }

  #enter(uri: string): boolean {
    const path = directoryOf(uri);
    if (path === null) return true;
    this.#cwd = path;
    this.#announce((events) => events.cwd(path));
    return true;
  }
}

export function encodeText(pieces: readonly string[]): Uint8Array {
  return encoder.encode(pieces.join(''));
}
