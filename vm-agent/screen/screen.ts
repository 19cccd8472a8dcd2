/**
 * One session's screen as seen from the main thread, which never parses escape sequences: a queue for a terminal in a
 * worker thread.
 *
 *       idle and unwatched, or        slept
 *       others need the memory
 *   awake ────────────────────► dozing ──────► asleep       Output, a resize, or a snapshot that was not stored
 *     ▲                            │             │          wakes it. A state too long to store keeps it awake.
 *     └────────────────────────────┴─────────────┘          Every state can lead to `closed`, which is final.
 *
 * While asleep there is no terminal. Its state is kept here, deflated, and survives the thread.
 */
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import { OutputFeed } from './output-feed.ts';
import { HeardBefore, type ScreenHome, type SessionScreenOptions, tellEvent } from './screen-options.ts';
import { schemeReport } from './sequences/modes.ts';
import { SleepReadiness } from './sleep-delay.ts';
import {
  askFor,
  keptAsleep,
  PendingSnapshots,
  type SnapshotRequest,
  type Taken,
  takenFrom,
} from './snapshot.ts';
import type { ThreadLink } from './thread-link.ts';
import type { FromThread, OpenMessage, ScreenEvent, Sleeping } from './thread-messages.ts';
import { schemeOfTheme } from './xterm/palette.ts';

type State =
  | { readonly name: 'awake' | 'dozing'; readonly thread: ThreadLink }
  | { readonly name: 'asleep'; readonly sleeping: Sleeping }
  | { readonly name: 'closed' };

const encoder = new TextEncoder();

export class ScreenMirror {
  readonly id: number;
  /** Output that was written and is not yet part of the terminal's state. */
  readonly feed: Pick<OutputFeed, 'isFull' | 'queue'>;
  readonly #home: ScreenHome;
  readonly #options: SessionScreenOptions;
  readonly #feed: OutputFeed;
  readonly #pending = new PendingSnapshots();
  readonly #readiness: SleepReadiness;
  readonly #heard: HeardBefore;
  #state: State;
  #theme: Theme;
  #cwd: string | null = null;
  /** Whether the program draws all of the screen, as far as its output is parsed. */
  isAlternate = false;

  constructor(id: number, size: Size, options: SessionScreenOptions, home: ScreenHome) {
    this.id = id;
    this.#options = options;
    this.#home = home;
    const { from } = options;
    this.#heard = new HeardBefore(from);
    this.#feed = new OutputFeed(size, from?.offset ?? 0, home, {
      full: (isFull) => options.events.full(isFull),
      burstOver: () => this.#send(),
    });
    this.feed = this.#feed;
    this.#theme = options.theme ?? {};
    this.#readiness = new SleepReadiness(home.clock, () => this.fallAsleep());
    const thread = home.thread();
    this.#state = { name: 'awake', thread };
    this.#open(thread, from === undefined ? undefined : { output: from.drawing });
  }

  get state(): State['name'] {
    return this.#state.name;
  }

  /** The thread its terminal is in, if any. */
  get thread(): ThreadLink | undefined {
    return 'thread' in this.#state ? this.#state.thread : undefined;
  }

  /** Whether the thread has unfinished work for this screen. */
  get isBusy(): boolean {
    return 'thread' in this.#state && (!this.#feed.queue.isIdle || this.#pending.size > 0);
  }

  /** What is stored for it while it is asleep: its bytes, and how much of them were images before they were deflated. */
  get stored(): { readonly bytes: number; readonly imageChars: number } {
    if (this.#state.name !== 'asleep') return { bytes: 0, imageChars: 0 };
    const { all, recent, imageChars } = this.#state.sleeping;
    return { bytes: all.deflated.length + recent.deflated.length, imageChars };
  }

  get isWatched(): boolean {
    return this.#readiness.isWatched;
  }

  /** A watched screen does not fall asleep. */
  set watched(isWatched: boolean) {
    this.#readiness.watch(isWatched);
    if (!isWatched) this.#home.settled();
  }

  /** For how many milliseconds it could already have been asleep, if its memory is needed; negative: not yet. */
  get sleepyFor(): number {
    return this.isBusy ? -1 : this.#readiness.sleepyFor;
  }

  /**
   * Also called by the pool. False if it must be tried again: a screen that is watched, busy or too long stays awake.
   */
  fallAsleep(): boolean {
    if (this.#state.name !== 'awake') return true;
    if (this.isBusy || this.#readiness.mustStayAwake) return false;
    const { imageRoom } = this.#home;
    this.#state = { name: 'dozing', thread: this.#state.thread };
    this.#state.thread.post({ type: 'sleep', screen: this.id, maxImageChars: imageRoom });
    return true;
  }

  /** Copies `bytes`, which must directly follow what was written before. */
  write(offset: number, bytes: Uint8Array): void {
    if (this.#state.name === 'closed' || bytes.length === 0) return;
    this.#readiness.changed(this.#state.name === 'awake');
    const { isWatched } = this.#readiness;
    let written = 0;
    // In parts, because what happens in each part is told as a whole.
    for (const cut of this.#heard.cutsIn(offset, bytes.length)) {
      this.#feed.write(offset + written, bytes.subarray(written, cut), isWatched);
      this.#feed.queue.cut();
      written = cut;
    }
    if (written < bytes.length) this.#feed.write(offset + written, bytes.subarray(written), isWatched);
    this.#send();
  }

  resize(offset: number, size: Size): void {
    if (this.#state.name === 'closed') return;
    const { queue } = this.#feed;
    if (offset !== queue.end) throw new Error(`invariant: resize at ${offset}, output up to ${queue.end}`);
    this.#readiness.changed(this.#state.name === 'awake');
    queue.resize(size);
    this.#feed.release();
  }

  /** Whether everything before `offset` is part of the terminal's state, but for an incomplete character. */
  hasDrawn(offset: number): boolean {
    return this.#feed.queue.start >= offset || this.#feed.queue.isIdle;
  }

  /** Resolves once little output is left to parse. The program is slowed down for that, and not paused for long. */
  drain(): Promise<void> {
    return this.#feed.drain();
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.thread?.post({ type: 'theme', screen: this.id, theme });
    this.#tellScheme();
  }

  /** A program may want to know, though its terminal is asleep. */
  #tellScheme(): void {
    if (this.#state.name !== 'asleep') return;
    const { sleeping } = this.#state;
    const scheme = schemeOfTheme(this.#theme);
    if (sleeping.toldScheme === null || sleeping.toldScheme === scheme) return;
    this.#state = { name: 'asleep', sleeping: { ...sleeping, toldScheme: scheme } };
    this.#options.events.answer(encoder.encode(schemeReport(scheme)));
  }

  snapshot(request: SnapshotRequest): Promise<Taken> {
    const { queue } = this.#feed;
    const kept = this.#state.name === 'asleep' ? keptAsleep(this.#state.sleeping, request, queue) : undefined;
    if (this.#state.name === 'closed' || kept !== undefined) return Promise.resolve(kept);
    this.#readiness.stir(this.#state.name === 'awake');
    const { alone = false } = request;
    if (!alone) this.#feed.endBurst();
    this.#send();
    const atLeast = request.atLeast ?? (request.format === 'ansi' ? 0 : queue.end);
    const asked = { ...request, atLeast, alone };
    return new Promise((resolve) => {
      const number = this.#pending.add(asked, resolve);
      if (this.#state.name === 'awake') this.#state.thread.post(askFor(this.id, number, asked));
      else if (this.#state.name === 'asleep') this.#wake(this.#state.sleeping);
      this.#home.queued(0);
    });
  }

  close(): void {
    if (this.#state.name === 'closed') return;
    this.thread?.post({ type: 'close', screen: this.id });
    this.#readiness.stop();
    this.#state = { name: 'closed' };
    this.#feed.close();
    this.#home.settled();
    this.#pending.refuse();
  }

  /** Called by the pool: a message from this screen's thread. */
  received(message: FromThread): void {
    if (message.type === 'parsed') {
      this.isAlternate = message.isAlternate;
      for (const event of message.events) this.#happened(event);
    }
    if (!('thread' in this.#state)) return; // one of the events closed it
    this.#feed.parsed(message, message.type === 'parsed' ? message.tookMs : 0);
    if (message.type === 'snapshot')
      this.#pending.resolve(message.request, takenFrom(message, this.#feed.queue));
    if (message.type === 'slept') this.#slept(message.state);
    if (message.type === 'stayed') this.#stayed();
    this.#feed.account();
    this.#send();
  }

  /**
   * Called by the pool: the thread is gone. `isGuilty`: it died while working for this screen, whose output is dropped.
   */
  threadDied(isGuilty: boolean): void {
    const { queue } = this.#feed;
    if (isGuilty) queue.dropSent();
    if (isGuilty) this.#pending.refuse();
    const thread = this.#home.thread();
    queue.rewind();
    const output = isGuilty ? undefined : this.#options.history?.(queue.start);
    this.#open(thread, output === undefined ? undefined : { output });
    this.#feed.account();
    this.#send();
    this.#options.events.rebuilt();
  }

  /** Called by the pool: it became full, or is no longer full. */
  poolChanged(): void {
    if (this.#home.isFull) this.#feed.release();
    this.#feed.tellFull();
  }

  #happened(event: ScreenEvent): void {
    if (event.kind === 'cwd') this.#cwd = event.text;
    const isLate = (offset: number) => this.#feed.isLate(offset);
    tellEvent(event, this.#options.events, { heard: this.#heard, isLate });
  }

  #slept(sleeping: Sleeping): void {
    this.#feed.queue.rewind();
    this.#state = { name: 'asleep', sleeping };
    this.#tellScheme();
    if (!this.#feed.queue.isIdle || this.#pending.size > 0) this.#wake(sleeping);
    else this.#home.settled();
  }

  #wake({ all: { deflated, pieceBytes } }: Sleeping): void {
    this.#open(this.#home.thread(), { deflated, pieceBytes });
    this.#send();
  }

  /** It stays where it is. */
  #stayed(): void {
    if (this.#state.name !== 'dozing') return;
    this.#readiness.stayed(this.#feed.queue.isIdle);
    this.#state = { name: 'awake', thread: this.#state.thread };
    this.#pending.askAgain(this.#state.thread, this.id);
    this.#readiness.start();
    this.#home.settled();
    this.#send();
  }

  #open(thread: ThreadLink, from?: OpenMessage['from']): void {
    this.#state = { name: 'awake', thread };
    thread.post({
      type: 'open',
      screen: this.id,
      size: this.#feed.queue.size,
      scrollbackLines: this.#options.scrollbackLines,
      theme: this.#theme,
      widths: this.#options.widths,
      marksNonce: this.#options.marksNonce,
      offset: this.#feed.queue.start,
      cwd: this.#cwd,
      ...(from === undefined ? {} : { from }),
    });
    this.#pending.askAgain(thread, this.id);
    this.#readiness.start();
    this.#home.settled();
  }

  /** Sends the thread as much as it may have. Wakes a sleeping screen; a dozing one is woken once it is asleep. */
  #send(): void {
    if (this.#feed.isHolding) return;
    if (this.#state.name === 'asleep' && !this.#feed.queue.isIdle) this.#wake(this.#state.sleeping);
    if (this.#state.name === 'awake') this.#feed.sendTo(this.#state.thread, this.id);
  }
}
