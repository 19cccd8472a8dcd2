/**
 * Passes a program's output to the history, the clients that follow, the screen and the disk. Pauses the program while
 * the screen or the clients cannot take more.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/message-parts.ts';
import type { KeptSession, SessionStorage } from '../disk/session-storage.ts';
import type { Pty } from '../pty/pty.ts';
import type { ScreenMirror, SessionScreenEvents, SessionScreenOptions } from '../screen/screen.ts';
import { Audience, type AudienceEvents } from './audience.ts';
import type { CreditWindow } from './credit-window.ts';
import type { WindowOwner } from './credit-windows.ts';
import { OutputBatcher } from './output-batcher.ts';
import { OutputHistory } from './output-history.ts';

/** The part of a screen that a session uses; screen/pool.ts implements it. */
export type SessionScreen = Pick<
  ScreenMirror,
  'write' | 'resize' | 'setTheme' | 'snapshot' | 'close' | 'watched'
>;
export type OpenScreen = (
  size: Size,
  options: Pick<SessionScreenOptions, 'events' | 'history' | 'theme'>,
) => SessionScreen;

interface SessionOutputEvents extends Omit<AudienceEvents, 'paced'> {
  /** Send to every follower. `wantsAck`: clients must acknowledge this frame at once. */
  output(offset: number, bytes: Uint8Array, wantsAck: boolean): void;
}

interface SessionOutputOptions {
  readonly pty: Pty;
  readonly clock: Clock;
  readonly size: Size;
  readonly historyBytes: number;
  /** The credit window of a client. */
  readonly windowOf: (viewer: WindowOwner) => CreditWindow;
  readonly events: SessionOutputEvents;
  readonly openScreen: OpenScreen;
  /** Colours of the window that created the session, until another window decides. */
  readonly theme?: Theme | undefined;
  /** Screen events that do not concern output. */
  readonly screenEvents: Pick<SessionScreenEvents, 'answer' | 'title' | 'cwd'>;
  readonly keep: (kept: Pick<KeptSession, 'from' | 'snapshot'>) => SessionStorage;
  /** The old screen of a revived session; the new program prints below it. */
  readonly prelude?: Uint8Array;
}

export class SessionOutput {
  readonly history: OutputHistory;
  readonly audience: Audience;
  /** The headless terminal of this output; another thread parses it. */
  readonly screen: SessionScreen;
  /** What is kept on disk for the agent's next life. */
  readonly storage: SessionStorage;
  readonly #pty: Pty;
  readonly #batcher: OutputBatcher;
  readonly #events: SessionOutputEvents;
  /** The offset up to which output was sent to clients. */
  #sent = 0;
  /** Whether the program prints faster than the screen can parse. */
  #isScreenFull = false;
  /** Whether no pacer has room for more output. */
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
    // Clients come first: a message to the screen's thread costs a tenth of an echo's latency.
    this.#batcher.write(bytes, isAll);
    this.screen.write(offset, bytes);
    this.storage.append(offset, bytes);
  }

  /** Somebody typed: the output that follows is what they wait for. */
  typed(): void {
    this.#pty.prefer();
    this.#batcher.expectAnswer();
  }

  /** Sends waiting output, because what comes next must follow it. */
  flush(): void {
    this.#batcher.flush();
  }

  /** The terminal has another size from here on; returns the offset of the change. */
  resize(size: Size): number {
    this.flush();
    const { end } = this.history;
    this.history.resize(size);
    this.#pty.resize(size);
    this.screen.resize(end, size);
    this.storage.resized(end, size);
    return end;
  }

  /** Sets the colours that programs are told. Called for every key typed, so it compares by identity. */
  recolour(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.screen.setTheme(theme);
  }

  /** A client attached, left, or was hidden or shown. */
  audienceChanged(): void {
    this.screen.watched = this.audience.watching().length > 0;
  }

  /** The program has ended: sends everything it printed. */
  finish(): void {
    this.flush();
    this.#isOver = true;
  }

  /** Deletes everything, in memory and on disk. */
  dispose(): void {
    this.history.reset();
    this.audience.stop();
    this.screen.close();
    this.storage.remove();
  }

  /** The prelude was printed before any client attached, and is already on disk. */
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
