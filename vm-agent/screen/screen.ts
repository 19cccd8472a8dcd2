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
import type { Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/message-parts.ts';
import { BurstHold } from './burst-hold.ts';
import type { ChunkPool } from './chunk-pool.ts';
import { IdleTimer } from './idle-timer.ts';
import {
  DEVICE_ANSWER_WITHIN_MS,
  IN_FLIGHT_MAX_BYTES,
  SCREEN_QUEUE_MAX_BYTES,
  SLEEP_AFTER_MS,
} from './limits.ts';
import { OutputQueue } from './output-queue.ts';
import { SleepDelay } from './sleep-delay.ts';
import { PendingSnapshots, type Snapshot, type SnapshotRequest, type Taken } from './snapshot.ts';
import type { ThreadLink } from './thread-link.ts';
import type {
  FromThread,
  OpenMessage,
  QueuedPiece,
  ScreenEvent,
  Sleeping,
  SnapshotReply,
} from './thread-messages.ts';
import { Watermark } from './watermark.ts';

export interface SessionScreenEvents {
  /** The terminal's reply to a query by the program; written to the PTY like typed input. */
  answer(bytes: Uint8Array): void;
  title(title: string): void;
  cwd(path: string): void;
  bell(): void;
  /** While full, the program must be paused. */
  full(isFull: boolean): void;
  /** The thread died; the screen was rebuilt from `history`, or is lost. */
  rebuilt(): void;
}

export interface SessionScreenOptions {
  readonly scrollbackLines: number;
  readonly events: SessionScreenEvents;
  readonly theme?: Theme;
  /** Output before `offset` that is still held, to rebuild a screen whose thread died. */
  readonly history?: (before: number) => Uint8Array;
}

/** What a screen needs from its pool. */
export interface ScreenHome {
  readonly clock: Clock;
  readonly isFull: boolean;
  readonly chunks: ChunkPool;
  /** The thread for a screen that wakes. */
  thread(): ThreadLink;
  /** The queue grew or shrank by this many bytes, or the thread got a request. */
  queued(change: number): void;
  /** The screen woke, fell asleep, was closed or is no longer watched: too many may be awake now. */
  settled(): void;
}

type State =
  | { readonly name: 'awake' | 'dozing'; readonly thread: ThreadLink }
  | { readonly name: 'asleep'; readonly sleeping: Sleeping }
  | { readonly name: 'closed' };

const encoder = new TextEncoder();

export class ScreenMirror {
  readonly id: number;
  readonly #home: ScreenHome;
  readonly #options: SessionScreenOptions;
  readonly #queue: OutputQueue;
  readonly #level = new Watermark(SCREEN_QUEUE_MAX_BYTES);
  readonly #pending = new PendingSnapshots();
  readonly #idle: IdleTimer;
  readonly #patience = new SleepDelay();
  readonly #burst: BurstHold;
  #state: State;
  #theme: Theme;
  #cwd: string | null = null;
  #isWatched = false;
  /** Its state was too long to store, and nothing has changed since. */
  #isTooLong = false;
  #wasFull = false;

  constructor(id: number, size: Size, options: SessionScreenOptions, home: ScreenHome) {
    this.id = id;
    this.#options = options;
    this.#home = home;
    this.#queue = new OutputQueue(0, size, home.chunks);
    this.#theme = options.theme ?? {};
    this.#idle = new IdleTimer(home.clock, SLEEP_AFTER_MS, () => this.fallAsleep());
    this.#burst = new BurstHold(home.clock, () => this.#send());
    this.#state = { name: 'awake', thread: home.thread() };
    this.#open(undefined);
  }

  get state(): State['name'] {
    return this.#state.name;
  }

  /** The thread its terminal is in, if any. */
  get thread(): ThreadLink | undefined {
    return 'thread' in this.#state ? this.#state.thread : undefined;
  }

  /** Output written and not yet part of the terminal's state. */
  get queuedBytes(): number {
    return this.#queue.bytes;
  }

  /** Whether the thread has unfinished work for this screen. */
  get isBusy(): boolean {
    return 'thread' in this.#state && (!this.#queue.isIdle || this.#pending.size > 0);
  }

  /** Bytes stored for it while it is asleep. */
  get sleepingBytes(): number {
    if (this.#state.name !== 'asleep') return 0;
    const { all, recent } = this.#state.sleeping;
    return all.deflated.length + recent.deflated.length;
  }

  get isFull(): boolean {
    return this.#level.isFull || (this.#home.isFull && this.#queue.bytes > IN_FLIGHT_MAX_BYTES);
  }

  get isWatched(): boolean {
    return this.#isWatched;
  }

  /** A watched screen does not fall asleep. */
  set watched(isWatched: boolean) {
    this.#isWatched = isWatched;
    this.#idle.touch();
    if (!isWatched) this.#home.settled();
  }

  /** For how many milliseconds it could already have been asleep, if its memory is needed; negative: not yet. */
  get sleepyFor(): number {
    return this.#mustStayAwake ? -1 : this.#idle.quietMs - this.#patience.ms;
  }

  get #mustStayAwake(): boolean {
    return this.#isWatched || this.isBusy || this.#isTooLong;
  }

  /**
   * Also called by the pool. False if it must be tried again: a screen that is watched, busy or too long stays awake.
   */
  fallAsleep(): boolean {
    if (this.#state.name !== 'awake') return true;
    if (this.#mustStayAwake) return false;
    this.#state = { name: 'dozing', thread: this.#state.thread };
    this.#state.thread.post({ type: 'sleep', screen: this.id });
    return true;
  }

  /** Copies `bytes`, which must directly follow what was written before. */
  write(offset: number, bytes: Uint8Array): void {
    if (this.#state.name === 'closed' || bytes.length === 0) return;
    this.#stir();
    this.#isTooLong = false;
    this.#queue.write(offset, bytes, this.#home.clock.now());
    if (this.#isWatched) this.#burst.printed(bytes.length, this.#queue.bytes);
    this.#account();
    this.#send();
  }

  resize(offset: number, size: Size): void {
    if (this.#state.name === 'closed') return;
    if (offset !== this.#queue.end)
      throw new Error(`invariant: resize at ${offset}, output up to ${this.#queue.end}`);
    this.#stir();
    this.#isTooLong = false;
    this.#queue.resize(size);
    this.#sendAll();
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.thread?.post({ type: 'theme', screen: this.id, theme });
  }

  snapshot(request: SnapshotRequest): Promise<Taken> {
    const kept = this.#keptAsleep(request);
    if (this.#state.name === 'closed' || kept !== undefined) return Promise.resolve(kept);
    this.#stir();
    this.#sendAll();
    const atLeast = request.atLeast ?? (request.format === 'ansi' ? 0 : this.#queue.end);
    return new Promise((resolve) => {
      const number = this.#pending.add({ ...request, atLeast }, resolve);
      if (this.#state.name === 'awake') this.#ask(number, { ...request, atLeast });
      else if (this.#state.name === 'asleep') this.#wake(this.#state.sleeping);
      this.#home.queued(0);
    });
  }

  close(): void {
    if (this.#state.name === 'closed') return;
    this.thread?.post({ type: 'close', screen: this.id });
    this.#idle.stop();
    this.#burst.stop();
    this.#state = { name: 'closed' };
    this.#home.queued(-this.#level.level);
    this.#home.settled();
    this.#pending.refuse();
  }

  /** Called by the pool: a message from this screen's thread. */
  received(message: FromThread): void {
    if (message.type === 'parsed') for (const event of message.events) this.#happened(event);
    if (!('thread' in this.#state)) return; // one of the events closed it
    this.#queue.parsed(message);
    if (message.type === 'snapshot') this.#pending.resolve(message.request, this.#taken(message));
    if (message.type === 'slept') this.#slept(message.state);
    if (message.type === 'stayed') this.#stayed();
    this.#account();
    this.#send();
  }

  /**
   * Called by the pool: the thread is gone. `isGuilty`: it died while working for this screen, whose output is dropped.
   */
  threadDied(isGuilty: boolean): void {
    if (isGuilty) this.#queue.dropSent();
    if (isGuilty) this.#pending.refuse();
    this.#state = { name: 'awake', thread: this.#home.thread() };
    this.#queue.rewind();
    const output = isGuilty ? undefined : this.#options.history?.(this.#queue.start);
    this.#open(output === undefined ? undefined : { output });
    this.#account();
    this.#send();
    this.#options.events.rebuilt();
  }

  /** Called by the pool: it became full, or is no longer full. */
  poolChanged(): void {
    if (this.#home.isFull) this.#sendAll();
    this.#tellFull();
  }

  #happened(event: ScreenEvent): void {
    const { events } = this.#options;
    switch (event.kind) {
      case 'answer':
        if (!this.#isLate(event.at)) events.answer(encoder.encode(event.text));
        break;
      case 'title':
        events.title(event.text);
        break;
      case 'cwd':
        this.#cwd = event.text;
        events.cwd(event.text);
        break;
      case 'bell':
        events.bell();
    }
  }

  #isLate(offset: number): boolean {
    const queuedAt = this.#queue.queuedAt(offset);
    return queuedAt === undefined || this.#home.clock.now() - queuedAt > DEVICE_ANSWER_WITHIN_MS;
  }

  /** The terminal continued while the snapshot was written; the queue has the output after that. */
  #taken({ takenAt: offset, since, size, title, cwd, written }: SnapshotReply): Taken {
    if (written === null) return 'too large';
    const replay = since === null ? [] : [...since, ...this.#queue.pieces()];
    return this.#complete({ offset, size, title, cwd, ...written }, replay);
  }

  #complete(taken: Omit<Snapshot, 'replay' | 'end'>, replay: readonly QueuedPiece[]): Snapshot {
    const { offset, size, title, cwd, deflated, bytes, linesAbove } = taken;
    return { offset, size, title, cwd, deflated, bytes, linesAbove, replay, end: this.#queue.end };
  }

  /** While asleep, the two usual snapshots are available. */
  #keptAsleep({ format, scope }: SnapshotRequest): Snapshot | undefined {
    if (this.#state.name !== 'asleep' || format !== 'ansi' || scope === 'screen') return undefined;
    const { sleeping } = this.#state;
    return this.#complete({ ...sleeping, ...sleeping[scope] }, this.#queue.pieces());
  }

  /** Something happened that wakes a sleeping screen. */
  #stir(): void {
    if (this.#state.name !== 'awake') this.#patience.woken(this.#idle.quietMs);
    this.#idle.touch();
  }

  #slept(sleeping: Sleeping): void {
    this.#queue.rewind();
    this.#state = { name: 'asleep', sleeping };
    if (!this.#queue.isIdle || this.#pending.size > 0) this.#wake(sleeping);
    else this.#home.settled();
  }

  #wake({ all: { deflated, pieceBytes } }: Sleeping): void {
    this.#state = { name: 'awake', thread: this.#home.thread() };
    this.#open({ deflated, pieceBytes });
    this.#send();
  }

  /** It stays where it is. The attempt cost as much as waking, so the next one waits longer too. */
  #stayed(): void {
    if (this.#state.name !== 'dozing') return;
    this.#patience.woken(this.#idle.quietMs);
    this.#isTooLong = this.#queue.isIdle;
    this.#state = { name: 'awake', thread: this.#state.thread };
    this.#begin();
    this.#send();
  }

  #open(from: OpenMessage['from']): void {
    this.thread?.post({
      type: 'open',
      screen: this.id,
      size: this.#queue.size,
      scrollbackLines: this.#options.scrollbackLines,
      theme: this.#theme,
      offset: this.#queue.start,
      cwd: this.#cwd,
      ...(from === undefined ? {} : { from }),
    });
    this.#begin();
  }

  /** The thread has the terminal. */
  #begin(): void {
    for (const [number, request] of this.#pending.requests()) this.#ask(number, request);
    this.#idle.start();
    this.#home.settled();
  }

  #ask(request: number, { format, scope, atLeast }: Required<SnapshotRequest>): void {
    this.thread?.post({ type: 'snapshot', screen: this.id, request, format, scope, atLeast });
  }

  /** Sends everything, including a burst that is held back for the clients. */
  #sendAll(): void {
    this.#burst.stop();
    this.#send();
  }

  /** Sends the thread as much as it may have. Wakes a sleeping screen; a dozing one is woken once it is asleep. */
  #send(): void {
    if (this.#burst.isHolding) return;
    if (this.#state.name === 'asleep' && !this.#queue.isIdle) this.#wake(this.#state.sleeping);
    if (this.#state.name !== 'awake') return;
    const { thread } = this.#state;
    for (const piece of this.#queue.take()) {
      if (piece.kind === 'resize') thread.post({ type: 'resize', screen: this.id, size: piece.size });
      else thread.post({ type: 'output', screen: this.id, offset: piece.offset, bytes: piece.bytes });
    }
  }

  #account(): void {
    const change = this.#queue.bytes - this.#level.level;
    this.#level.set(this.#queue.bytes);
    if (change !== 0) this.#home.queued(change);
    this.#tellFull();
  }

  #tellFull(): void {
    if (this.isFull === this.#wasFull) return;
    this.#wasFull = this.isFull;
    this.#options.events.full(this.#wasFull);
  }
}
