/**
 * What a program prints, on its way: into the history, to those who follow, to the screen, to disk. The program is
 * paused while any of them cannot take more.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages.ts';
import type { KeptSession, SessionStorage } from '../disk/session-storage.ts';
import type { Pty } from '../pty/pty.ts';
import type { ScreenMirror, SessionScreenEvents, SessionScreenOptions } from '../screen/screen.ts';
import { Audience, type AudienceEvents } from './audience.ts';
import type { CreditWindow } from './credit-window.ts';
import type { WindowOwner } from './credit-windows.ts';
import { OutputBatcher } from './output-batcher.ts';
import { OutputHistory } from './output-history.ts';

/** What a session needs of a screen; screen/pool.ts has real ones. */
export type SessionScreen = Pick<
  ScreenMirror,
  'write' | 'resize' | 'setTheme' | 'snapshot' | 'close' | 'watched'
>;
export type OpenScreen = (
  size: Size,
  options: Pick<SessionScreenOptions, 'events' | 'history' | 'theme'>,
) => SessionScreen;

interface SessionOutputEvents extends Omit<AudienceEvents, 'paced'> {
  /** To be told to everybody who follows. `wantsAck`: whoever gets it says at once that it has. */
  output(offset: number, bytes: Uint8Array, wantsAck: boolean): void;
}

interface SessionOutputOptions {
  readonly pty: Pty;
  readonly clock: Clock;
  readonly size: Size;
  readonly historyBytes: number;
  /** How much a client may have on its way. */
  readonly windowOf: (viewer: WindowOwner) => CreditWindow;
  readonly events: SessionOutputEvents;
  readonly openScreen: OpenScreen;
  /** Colours of the window the session was asked for from, until another window decides. */
  readonly theme?: Theme | undefined;
  /** What the screen has to say that is no matter of output. */
  readonly screenEvents: Pick<SessionScreenEvents, 'answer' | 'title' | 'cwd'>;
  readonly keep: (kept: Pick<KeptSession, 'from' | 'snapshot'>) => SessionStorage;
  /** The old screen of a revived session; its new program prints below it. */
  readonly prelude?: Uint8Array;
}

export class SessionOutput {
  readonly history: OutputHistory;
  readonly audience: Audience;
  /** What the output looks like; parsed elsewhere. */
  readonly screen: SessionScreen;
  /** What outlives this process. */
  readonly storage: SessionStorage;
  readonly #pty: Pty;
  readonly #batcher: OutputBatcher;
  readonly #events: SessionOutputEvents;
  /** Offset up to which output has left for the viewers. */
  #sent = 0;
  /** Whether more is printed than the screen can parse. */
  #isScreenFull = false;
  /** Whether its viewers have more on the way than they can take. */
  #isBlocked = false;
  #isOver = false;
  #theme: Theme | undefined;

  constructor(options: SessionOutputOptions) {
    const { clock, events, keep, pty, size } = options;
    this.#pty = pty;
    this.#events = events;
    this.history = new OutputHistory(options.historyBytes, size);
    this.audience = new Audience(clock, options.windowOf, {
      lagging: events.lagging,
      relieved: events.relieved,
      unseen: events.unseen,
      paced: (isBlocked, frameMaxBytes) => this.#paced(isBlocked, frameMaxBytes),
    });
    this.#batcher = new OutputBatcher(clock, (bytes) => this.#emit(bytes));
    this.#theme = options.theme;
    this.screen = this.#mirror(options);
    if (options.prelude !== undefined) this.#begin(options.prelude);
    const snapshot = () => this.screen.snapshot({ format: 'ansi', scope: 'all' });
    this.storage = keep({ from: this.history.end, snapshot });
  }

  record(bytes: Uint8Array, isAll: boolean): void {
    const offset = this.history.write(bytes);
    // Whoever watches comes first: a message to the screen's thread costs a tenth of an echo.
    this.#batcher.write(bytes, isAll);
    this.screen.write(offset, bytes);
    this.storage.append(offset, bytes);
  }

  /** Somebody typed: what the program prints now is what they wait for. */
  typed(): void {
    this.#pty.prefer();
    this.#batcher.expectAnswer();
  }

  /** Sends what waits: what comes next must come after it. */
  flush(): void {
    this.#batcher.flush();
  }

  /** From here on the terminal has another size; returns the offset at which that is. */
  resize(size: Size): number {
    this.flush();
    const { end } = this.history;
    this.history.resize(size);
    this.#pty.resize(size);
    this.screen.resize(end, size);
    this.storage.resized(end, size);
    return end;
  }

  /** What programs are told of colours from now on. Called with every key typed, hence by identity. */
  recolour(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.screen.setTheme(theme);
  }

  /** Somebody came, went or looks elsewhere. */
  audienceChanged(): void {
    this.screen.watched = this.audience.watching().length > 0;
  }

  /** The program has ended: everything it printed leaves now. */
  finish(): void {
    this.flush();
    this.#isOver = true;
  }

  /** Nothing of it stays, here or on disk. */
  dispose(): void {
    this.history.reset();
    this.audience.stop();
    this.screen.close();
    this.storage.remove();
  }

  /** Printed before anybody could watch, and kept already. */
  #begin(prelude: Uint8Array): void {
    this.screen.write(0, prelude);
    this.history.write(prelude);
    this.#sent = prelude.length;
  }

  #mirror({ openScreen, screenEvents, size, theme }: SessionOutputOptions): SessionScreen {
    return openScreen(size, {
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
    this.audience.mark('output');
    if (!this.audience.isFollowed) return;
    const { wantsAck } = this.audience.offer(bytes.length);
    if (!this.audience.isFollowed) return;
    this.#events.output(offset, bytes, wantsAck);
    this.audience.told(this.#sent);
  }

  #paced(isBlocked: boolean, frameMaxBytes: number): void {
    this.#isBlocked = isBlocked;
    this.#batcher.frameMaxBytes = frameMaxBytes;
    this.#pty.readAtMost(frameMaxBytes);
    this.#pace();
  }

  #pace(): void {
    if (this.#isOver) return;
    if (this.#isScreenFull || this.#isBlocked) this.#pty.pause();
    else this.#pty.resume();
  }
}
