/**
 * Passes a program's output to the clients that follow, the screen and the disk. Pauses the program while the screen or
 * the clients cannot take more.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { KeptSession, SessionStorage } from '../disk/session-storage.ts';
import type { Exit } from '../pty/pty.ts';
import { CATCH_UP_WITHIN_MS } from '../screen/limits.ts';
import type { ScreenMirror } from '../screen/screen.ts';
import type { ScreenStart, SessionScreenEvents, SessionScreenOptions } from '../screen/screen-options.ts';
import type { Scope } from '../screen/serializer/ansi.ts';
import type { Terminal, TerminalEvents } from '../terminal/terminal.ts';
import { Audience, type LiveOutputEvents } from './audience.ts';
import type { CreditWindow } from './credit-window.ts';
import type { WindowOwner } from './credit-windows.ts';
import { OutputBatcher } from './output-batcher.ts';
import { OutputHistory } from './output-history.ts';

/** The part of a screen that a session uses; screen/pool.ts implements it. */
export type SessionScreen = Pick<
  ScreenMirror,
  'write' | 'resize' | 'setTheme' | 'snapshot' | 'close' | 'watched' | 'isAlternate' | 'hasDrawn' | 'drain'
>;
export type OpenScreen = (
  size: Size,
  options: Pick<SessionScreenOptions, 'events' | 'from' | 'history' | 'marksNonce' | 'theme' | 'widths'> & {
    /** The agent's setting if undefined. */
    readonly scrollbackLines?: number;
  },
) => SessionScreen;

/** What another agent process did with the same output. */
export interface AdoptedOutput {
  /** Offset after the last byte that the keeper had when this process started. */
  readonly end: number;
  /** The screen as it was left, and its size there. */
  readonly screen: ScreenStart & { readonly size: Size };
}

/**
 * Clients of an earlier agent process come back as soon as this one has connected, which takes less than a second. Until
 * then its program may print only so much and then waits, so that they can continue with the bytes they miss.
 */
export const RETURN_WITHIN_MS = 5_000;
export const RETURN_MAX_BYTES = 256 * 1024;

interface SessionOutputOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** The credit window of a client. */
  readonly windowOf: (viewer: WindowOwner) => CreditWindow;
  readonly events: LiveOutputEvents;
  readonly openScreen: OpenScreen;
  /** Colours of the window that created the session, until another window decides. */
  readonly theme?: Theme | undefined;
  readonly widths: string;
  /** What proves that a mark was made by our script in the shell. */
  readonly marksNonce?: string | null | undefined;
  /** Screen events that do not concern output. */
  readonly screenEvents: Pick<SessionScreenEvents, 'answer' | 'title' | 'progress' | 'cwd' | 'noticed'>;
  readonly keep: (kept: Pick<KeptSession, 'from' | 'snapshot' | 'drain' | 'checkpointAt'>) => SessionStorage;
  /** The old screen of a revived session; the new program prints below it. */
  readonly prelude?: Uint8Array;
  /** Where another agent process was. */
  readonly adopted?: AdoptedOutput | undefined;
  /** This was printed, and passed on. The bytes are valid during this call only. */
  readonly passedOn: (offset: number, bytes: Uint8Array) => void;
  /** The terminal has another size from `offset` on. */
  readonly resized: (offset: number, size: Size) => void;
  /** The program has ended, and everything it printed was passed on. */
  readonly ended: (exit: Exit) => void;
}

export class SessionOutput implements TerminalEvents {
  readonly history: OutputHistory;
  readonly audience: Audience;
  /** What is kept on disk for the agent's next life. */
  readonly storage: SessionStorage;
  readonly #passedOn: SessionOutputOptions['passedOn'];
  readonly #resized: SessionOutputOptions['resized'];
  readonly #ended: (exit: Exit) => void;
  readonly #terminal: Terminal;
  readonly #batcher: OutputBatcher;
  readonly #late: Cancel | undefined;
  #screen: SessionScreen;
  /** The offset up to which output was sent to clients. */
  #sent = 0;
  /** Output before these offsets is drawn and stored already, by another agent process. */
  #drawnTo: number;
  readonly #storedTo: number;
  /** Whether the program prints faster than the screen can parse. */
  #isScreenFull = false;
  /** Whether no pacer has room for more output. */
  #isBlocked = false;
  /** The program waits for clients at this offset; no longer once they are back. */
  #waitsAt = Number.POSITIVE_INFINITY;
  #settling: Cancel | undefined;
  /** Whether the program was told to wait. */
  #isPaused = false;
  #isOver = false;
  #theme: Theme | undefined;

  constructor(options: SessionOutputOptions) {
    const { adopted, clock, events, keep, prelude, terminal } = options;
    this.#passedOn = options.passedOn;
    this.#resized = options.resized;
    this.#ended = options.ended;
    this.#terminal = terminal;
    this.history = new OutputHistory(terminal);
    this.audience = new Audience(clock, options.windowOf, events, (isBlocked, frameMaxBytes) =>
      this.#paced(isBlocked, frameMaxBytes),
    );
    this.#batcher = new OutputBatcher(clock, (bytes) => this.#emit(bytes));
    this.#theme = options.theme;
    this.#screen = this.#mirror(options);
    // The prelude was printed before any client attached, and is already on disk.
    if (prelude !== undefined) this.screen.write(0, prelude);
    this.#sent = terminal.ring.end;
    this.#drawnTo = adopted?.screen.offset ?? 0;
    this.#storedTo = adopted?.end ?? 0;
    const snapshot = (scope: Scope) => this.screen.snapshot({ format: 'ansi', scope, alone: true });
    this.storage = keep({
      from: adopted?.end ?? this.#sent,
      checkpointAt: adopted?.screen.offset,
      snapshot,
      drain: () => this.screen.drain(),
    });
    if (adopted !== undefined) this.#late = clock.after(CATCH_UP_WITHIN_MS, () => this.#skip(options));
    terminal.listen(this);
    if (adopted === undefined) return;
    this.#waitsAt = adopted.end + RETURN_MAX_BYTES;
    this.#settling = clock.after(RETURN_WITHIN_MS, () => this.#settle());
  }

  /** The headless terminal of this output; another thread parses it. */
  get screen(): SessionScreen {
    return this.#screen;
  }

  printed(offset: number, bytes: Uint8Array, isAll: boolean): void {
    // Clients come first: a message to the screen's thread costs a tenth of an echo's latency.
    this.#batcher.write(bytes, isAll);
    const drawn = Math.max(0, this.#drawnTo - offset);
    if (drawn < bytes.length) this.screen.write(offset + drawn, bytes.subarray(drawn));
    const stored = Math.max(0, this.#storedTo - offset);
    if (stored < bytes.length) this.storage.append(offset + stored, bytes.subarray(stored));
    this.#passedOn(offset, bytes);
  }

  /** The program has ended: sends everything it printed. */
  exited(exit: Exit): void {
    this.flush();
    this.#isOver = true;
    this.#ended(exit);
  }

  /** Somebody typed: the output that follows is what they wait for. */
  typed(): void {
    this.#terminal.pty.prefer();
    this.#batcher.expectAnswer();
  }

  /** Sends waiting output, because what comes next must follow it. */
  flush(): void {
    this.#batcher.flush();
  }

  /** The terminal has another size from `offset` on. */
  resized(offset: number, size: Size): void {
    this.flush();
    if (offset >= this.#drawnTo) this.screen.resize(offset, size);
    if (offset >= this.#storedTo) this.storage.resized(offset, size);
    this.#resized(offset, size);
  }

  /** Sets the colours that programs are told. Called for every key typed, so it compares by identity. */
  recolour(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.screen.setTheme(theme);
  }

  /** A client attached, left, or was hidden or shown. */
  audienceChanged(): void {
    const isWatched = this.audience.watching().length > 0;
    this.screen.watched = isWatched;
    if (isWatched) this.#goOn();
  }

  /** The program is being ended: lets it go on, until it prints something that it must wait for. */
  release(): void {
    this.#isPaused = false;
    this.#terminal.pty.resume();
  }

  /** Deletes everything, in memory and on disk. */
  dispose(): void {
    this.#settling?.();
    this.#late?.();
    this.#terminal.dispose();
    this.audience.stop();
    this.screen.close();
    this.storage.remove();
  }

  /** Nobody has to be waited for. */
  #goOn(): void {
    this.#waitsAt = Number.POSITIVE_INFINITY;
    this.#pace();
  }

  #settle(): void {
    this.#terminal.settle();
    this.#goOn();
  }

  /**
   * The program waits until old output is drawn, and hostile output takes minutes: then it is not drawn. A blank screen
   * continues here, as after a crash of its thread.
   */
  #skip(options: SessionOutputOptions): void {
    if (this.#screen.hasDrawn(this.#storedTo)) return;
    const { end } = this.#terminal.ring;
    this.#drawnTo = end;
    this.#screen.close();
    const size = this.#terminal.sizes.current;
    const screen = { offset: end, size, drawing: new Uint8Array(0), silentUntil: end };
    this.#screen = this.#mirror({ ...options, adopted: { end, screen } });
    this.#isScreenFull = false;
    this.#pace();
  }

  #mirror(options: SessionOutputOptions): SessionScreen {
    const { adopted, marksNonce, openScreen, screenEvents, terminal, theme, widths } = options;
    return openScreen(adopted?.screen.size ?? terminal.sizes.current, {
      widths,
      from: adopted?.screen,
      marksNonce,
      ...(theme === undefined ? {} : { theme }),
      history: (before) => this.history.before(before),
      events: {
        ...screenEvents,
        bell: () => this.audience.mark('bell'),
        full: (isFull) => {
          this.#isScreenFull = isFull;
          this.#pace();
        },
        rebuilt: () => {},
      },
    });
  }

  #emit(bytes: Uint8Array): void {
    const offset = this.#sent;
    this.#sent += bytes.length;
    this.audience.deliver(offset, bytes);
    this.#pace();
  }

  #paced(isBlocked: boolean, frameMaxBytes: number): void {
    this.#isBlocked = isBlocked;
    this.#batcher.frameMaxBytes = frameMaxBytes;
    this.#terminal.pty.readAtMost(frameMaxBytes);
    this.#pace();
  }

  #pace(): void {
    // What the keeper has kept is read in any case: nobody is served before.
    const isScreenFull = this.#isScreenFull && this.#terminal.ring.end >= this.#storedTo;
    const mustPause = isScreenFull || this.#isBlocked || this.#sent >= this.#waitsAt;
    if (mustPause === this.#isPaused || this.#isOver) return;
    this.#isPaused = mustPause;
    if (mustPause) this.#terminal.pty.pause();
    else this.#terminal.pty.resume();
  }
}
