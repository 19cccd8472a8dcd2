/**
 * One program in a terminal, its history, and whoever is watching.
 *
 *               attach
 *   orphaned ───────────► attached       The program's end leads from either to `exited`, which is final.
 *      ▲                     │
 *      └─────────────────────┘           The reader starts with the program, not with a viewer: what is
 *       last viewer detaches             printed while nobody watches is history like the rest.
 */
import type { Clock } from '../protocol/clock.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Size } from '../protocol/frame.ts';
import { INPUT_BACKLOG_MAX_BYTES } from '../protocol/limits.ts';
import type { SessionInfo } from '../protocol/messages.ts';
import { Audience } from './audience.ts';
import type { ClientWindow } from './client-window.ts';
import { Driver } from './driver.ts';
import { InputLedger } from './input-ledger.ts';
import { OutputBatcher } from './output-batcher.ts';
import { printable } from './printable.ts';
import type { Exit, Pty, SpawnPty, SpawnSpec } from './pty.ts';
import { interleave, type Replay, still } from './replay.ts';
import { RingBuffer } from './ring-buffer.ts';
import type { Screen, ScreenOptions } from './screen/screen.ts';
import type { Snapshot, SnapshotRequest } from './screen/snapshot.ts';
import type { Keep, SessionKeeper } from './session-keeper.ts';
import { SizeHistory } from './size-history.ts';
import { terminate } from './terminate.ts';
import type { Viewer } from './viewer.ts';

/** A window is what a path carries in a round trip and a little more: so many of them are there within a second. */
const REPLAY_MAX_WINDOWS = 4;

export interface SessionIdentity {
  readonly id: string;
  /** The session's number in data frames. */
  readonly handle: number;
  readonly epoch: string;
  readonly key: string | null;
  readonly name: string;
  /** How long it is kept without viewers, if it has a say of its own in that. */
  readonly graceMs?: number;
}

/** What a session needs of a screen; screen/pool.ts has real ones. */
export type SessionScreen = Pick<Screen, 'write' | 'resize' | 'snapshot' | 'close' | 'watched'>;
export type OpenScreen = (size: Size, options: Pick<ScreenOptions, 'events' | 'history'>) => SessionScreen;

/** What a session tells the world, in order. */
export interface SessionEvents {
  /** `wantsAck`: whoever gets it says at once that it has. */
  output(session: Session, offset: number, bytes: Uint8Array, wantsAck: boolean): void;
  resized(session: Session, offset: number, size: Size): void;
  inputTaken(session: Session, channel: number, offset: number): void;
  /** A viewer came or went. */
  audienceChanged(session: Session): void;
  /** Another window decides the size. */
  driverChanged(session: Session): void;
  /** A viewer does not keep up; it is told no more output until it is brought back. */
  lagging(session: Session, viewer: Viewer): void;
  /** A viewer is to be brought up to date: it has everything below `has`. */
  relieved(session: Session, viewer: Viewer, has: number): void;
  /** Something was printed, or the bell rang, that a viewer does not look at. */
  unseen(session: Session, viewer: Viewer, what: { readonly bell: boolean }): void;
  /** Everything printed has been told; `session.exit` says how it ended. */
  exited(session: Session, offset: number): void;
}

/** What a screen comes with, by what its viewer wants to see of the history. */
const SCOPES = { all: 'all', none: 'screen', later: 'recent' } as const;

type State =
  | { readonly name: 'orphaned'; readonly since: Date }
  | { readonly name: 'attached' }
  | { readonly name: 'exited'; readonly exit: Exit };

export class Session {
  readonly identity: SessionIdentity;
  readonly #events: SessionEvents;
  readonly #clock: Clock;
  readonly #pty: Pty;
  readonly #history: RingBuffer;
  readonly #batcher: OutputBatcher;
  /** What the output looks like; parsed elsewhere. */
  readonly #screen: SessionScreen;
  /** What outlives this process. */
  readonly #keeper: SessionKeeper;
  readonly #audience: Audience;
  readonly #ledger = new InputLedger();
  readonly #driver = new Driver();
  readonly #createdAt = new Date();
  #lastActivityAt = this.#createdAt;
  /** The same moment on the monotonic clock: a jump of the wall clock must not make a session idle. */
  #activeAt: number;
  #name: string;
  readonly #sizes: SizeHistory;
  #state: State = { name: 'orphaned', since: this.#createdAt };
  /** Offset up to which output has left for the viewers. */
  #sent = 0;
  /** Whether more is printed than the screen can parse. */
  #isScreenFull = false;
  /** Whether its viewers have more on the way than they can take. */
  #isBlocked = false;
  #title: string | null = null;
  /** Where the shell said it is; asked of the system while it has not. */
  #cwd: string | null = null;

  constructor(
    identity: SessionIdentity,
    spec: SpawnSpec,
    options: {
      spawn: SpawnPty;
      openScreen: OpenScreen;
      clock: Clock;
      /** How much a client may have on its way. */
      windowOf: (channel: number) => ClientWindow;
      historyBytes: number;
      events: SessionEvents;
      keep: Keep;
      /** Where the session stands among the others. */
      place: number;
      /** The old screen of a revived session; its new program prints below it. */
      prelude?: Uint8Array;
    },
  ) {
    this.identity = identity;
    this.#name = identity.name;
    this.#sizes = new SizeHistory(spec.size);
    this.#events = options.events;
    this.#clock = options.clock;
    this.#activeAt = options.clock.now();
    this.#history = new RingBuffer(options.historyBytes);
    this.#audience = new Audience(options.clock, options.windowOf, {
      lagging: (viewer) => this.#events.lagging(this, viewer),
      relieved: (viewer, has) => this.#events.relieved(this, viewer, has),
      unseen: (viewer, what) => this.#events.unseen(this, viewer, what),
      paced: (isBlocked, frameMaxBytes) => {
        this.#isBlocked = isBlocked;
        this.#batcher.frameMaxBytes = frameMaxBytes;
        this.#pty.readAtMost(frameMaxBytes);
        this.#pace();
      },
    });
    this.#batcher = new OutputBatcher(options.clock, (bytes) => this.#emit(bytes));
    this.#pty = options.spawn(spec, {
      output: (bytes) => this.#record(bytes),
      exited: (exit) => this.#finish(exit),
    });
    // After the program, which may refuse to start; its first byte comes from the event loop, hence later.
    this.#screen = this.#mirror(options.openScreen);
    if (options.prelude !== undefined) this.#begin(options.prelude);
    this.#keeper = options.keep({
      id: identity.id,
      from: this.#history.end,
      snapshot: () => this.snapshot({ format: 'ansi', scope: 'all' }),
      metadata: {
        command: spec.command,
        args: spec.args,
        cwd: spec.cwd,
        env: spec.env,
        name: identity.name,
        key: identity.key,
        title: null,
        place: options.place,
        size: spec.size,
        createdAt: this.#createdAt.toISOString(),
        exit: null,
      },
    });
  }

  get info(): SessionInfo {
    const { id, key, epoch } = this.identity;
    const exit = this.#state.name === 'exited' ? this.#state.exit : null;
    return {
      id,
      key,
      name: this.#name,
      status: exit === null ? 'running' : 'exited',
      attached: this.viewers,
      orphanedSince: this.orphanedSince?.toISOString() ?? null,
      exitCode: exit?.code ?? null,
      signal: exit?.signal ?? null,
      cols: this.size.cols,
      rows: this.size.rows,
      cwd: this.#cwd ?? this.#pty.cwd(),
      title: this.#title,
      foreground: this.#pty.foreground(),
      createdAt: this.#createdAt.toISOString(),
      lastActivityAt: this.#lastActivityAt.toISOString(),
      bufferBytes: this.#history.length,
      epoch,
    };
  }

  get size(): Size {
    return this.#sizes.current;
  }

  get exit(): Exit | null {
    return this.#state.name === 'exited' ? this.#state.exit : null;
  }

  get viewers(): number {
    return this.#audience.size;
  }

  get orphanedSince(): Date | null {
    return this.#state.name === 'orphaned' ? this.#state.since : null;
  }

  /** Whether a viewer has yet to acknowledge something that was sent. */
  get isOwed(): boolean {
    return this.#audience.isOwed;
  }

  /** How long neither input nor output has happened. */
  get idleMs(): number {
    return this.#clock.now() - this.#activeAt;
  }

  get end(): number {
    return this.#history.end;
  }

  /** The client whose window decides the size; null when it has left. */
  get driver(): number | null {
    return this.#driver.channel;
  }

  /** Who is attached. */
  channels(): number[] {
    return this.#audience.channels();
  }

  viewer(channel: number): Viewer | undefined {
    return this.#audience.viewer(channel);
  }

  /** How much of an instance's input the program has taken; `typed` is what it believes itself. [IN4] */
  inputTaken(instance: string, typed: number): number {
    this.#ledger.meet(instance, typed);
    return this.#ledger.taken(instance);
  }

  /** False when this instance has said before that it would type something else. [IN8] */
  promises(instance: string, once: string): boolean {
    return this.#ledger.promise(instance, once);
  }

  /**
   * Counts as a viewer from now on; it is shown what it missed by `replay` or `replayScreen`. Without a window it
   * decides no size, and keeps nobody else from doing so.
   */
  attach(viewer: Viewer, window: Size | null): void {
    const isAlone = this.#audience
      .watching()
      .every((other) => other === viewer.channel || !this.#driver.hasWindow(other));
    this.#audience.join(viewer);
    if (window !== null) {
      this.#drive(() => this.#driver.joined(viewer.channel, window, viewer.role === 'operator', isAlone));
    }
    if (this.#state.name === 'orphaned') this.#enter({ name: 'attached' });
    this.#audienceChanged();
  }

  /**
   * The output since `from`; null when it is not here any more. Everything told before this call is in it,
   * everything after comes as output: neither hole nor overlap. [OU1]
   */
  replay(from: number): Replay | null {
    if (from < this.#history.start || from > this.#history.end) return null;
    this.#batcher.flush();
    const pieces = interleave(from, this.#history.read(from), this.#sizes.since(from));
    return { from, to: this.#history.end, size: this.#sizes.at(from), screen: null, linesAbove: 0, pieces };
  }

  /**
   * The screen, and what has been printed since it was taken, or as much of that as the viewer's path can carry
   * in a moment: a screen that is behind a flood may be behind by megabytes. [OU10] Null when the viewer has left, or attached
   * anew, before it was. As with `replay`, live output goes on from its end. [OU1]
   */
  async replayScreen(viewer: Viewer): Promise<Replay | null> {
    const scope = SCOPES[viewer.history];
    const taken = await this.#screen.snapshot({ format: 'ansi', scope });
    if (!this.#audience.isDue(viewer)) return null;
    // A screen that was lost with its thread leaves the bytes: better half a picture than none.
    if (taken === undefined) return this.replay(this.#history.start);
    const whole = this.#completed(taken);
    return this.#isTooMuch(viewer, whole) ? still(whole, this.#audience.roomOf(viewer)) : whole;
  }

  #isTooMuch(viewer: Viewer, { from, to }: Replay): boolean {
    return to - from > REPLAY_MAX_WINDOWS * this.#audience.roomOf(viewer);
  }

  /** The same with all of its history, for a viewer that follows already; null when that does not keep up. [OU15] */
  async replayHistory(viewer: Viewer): Promise<Replay | null> {
    const taken = await this.#screen.snapshot({ format: 'ansi', scope: 'all' });
    if (taken === undefined || !this.#audience.isCalm(viewer)) return null;
    const whole = this.#completed(taken);
    return this.#isTooMuch(viewer, whole) ? null : whole;
  }

  isFollowing(viewer: Viewer): boolean {
    return this.#audience.isFollowing(viewer);
  }

  /** Whether a viewer follows with room to spare. */
  isCalm(viewer: Viewer): boolean {
    return this.#audience.isCalm(viewer);
  }

  #completed({ offset: from, size, deflated, linesAbove, replay, end }: Snapshot): Replay {
    this.#batcher.flush();
    // What was printed between the moment it was taken and this one.
    const since = interleave(end, this.#history.read(end), this.#sizes.since(end - 1));
    const pieces = [...replay, ...since];
    return { from, to: this.#history.end, size, screen: deflated, linesAbove, pieces };
  }

  /** The viewer has been sent a replay, and is told from its end on, or brought back later when it was a still. */
  follow(channel: number, { from, to, isStill = false }: Replay): void {
    this.#audience.follow(channel, from, to, !isStill);
  }

  /** A viewer whom nobody looks at: it counts as attached, and is told no more than that something happened. [OU13] */
  hide(channel: number): void {
    this.#audience.hide(channel);
    this.#screen.watched = this.#audience.watching().length > 0;
  }

  detach(channel: number): void {
    // First: who chose a size without watching is forgotten too.
    this.#driver.left(channel);
    if (!this.#audience.leave(channel)) return;
    if (this.#state.name === 'attached' && this.viewers === 0) {
      this.#enter({ name: 'orphaned', since: new Date() });
    }
    this.#audienceChanged();
  }

  /** The link is new: nobody is attached on it yet. */
  detachAll(): void {
    for (const channel of this.#audience.channels()) this.detach(channel);
  }

  acknowledge(channel: number, offset: number): void {
    this.#audience.acknowledge(channel, offset);
  }

  /** Passes on what is new of a viewer's input; refuses what would leave a hole. [IN2] */
  input(viewer: Viewer, offset: number, bytes: Uint8Array): void {
    if (this.#state.name === 'exited')
      throw new Refusal('session_exited', 'The program has ended; nobody reads this.');
    if (this.#pty.backlogBytes + bytes.length > INPUT_BACKLOG_MAX_BYTES) {
      throw new Refusal('input_backlog', 'The program does not read what is typed; try again when it does.');
    }
    const fresh = this.#ledger.accept(viewer.instance, offset, bytes);
    if (fresh === null)
      throw new Refusal('input_hole', 'Input is missing before this; reattach and send it again.');
    this.#touch();
    if (fresh.length > 0) this.#drive(() => this.#driver.takesOver(viewer.channel));
    this.#pty.write(fresh, () => {
      const taken = this.#ledger.take(viewer.instance, fresh.length);
      this.#events.inputTaken(this, viewer.channel, taken);
    });
  }

  /** A client's window has changed; that changes the terminal if it drives, or takes over. */
  windowChanged(channel: number, { cols, rows }: Size, takeOver: boolean): void {
    const wanted = { cols, rows };
    this.#drive(() => {
      const size = this.#driver.resized(channel, wanted);
      return takeOver ? this.#driver.takesOver(channel) : size;
    });
  }

  rename(name: string): void {
    this.#name = name;
    this.#keeper.update({ name });
  }

  /** Ends the program and all it started; `exited` follows. */
  close(): void {
    if (this.#state.name === 'exited') return;
    this.#pty.resume();
    terminate(this.#pty, this.#clock);
  }

  /** The session is of the past: nothing of it stays, here or on disk. */
  dispose(): void {
    this.#history.reset();
    this.#audience.stop();
    this.#screen.close();
    this.#keeper.remove();
  }

  /** The screen, and with it what is above it if so asked; undefined when the session was disposed of first. */
  snapshot(request: SnapshotRequest): Promise<Snapshot | undefined> {
    return this.#screen.snapshot(request);
  }

  /** Printed before anybody could watch, and kept already. */
  #begin(prelude: Uint8Array): void {
    this.#screen.write(0, prelude);
    this.#history.write(prelude);
    this.#sent = prelude.length;
  }

  #mirror(open: OpenScreen): SessionScreen {
    return open(this.size, {
      history: (before) => this.#history.read(0).subarray(0, Math.max(0, before - this.#history.start)),
      events: {
        // The one answerer of device queries, whether nobody watches or five do.
        answer: (bytes) => this.#pty.write(bytes, () => {}),
        title: (title) => {
          this.#title = printable(title);
          this.#keeper.update({ title: this.#title });
        },
        cwd: (path) => {
          this.#cwd = path;
          this.#keeper.update({ cwd: path });
        },
        bell: () => this.#audience.mark('bell'),
        full: (isFull) => {
          this.#isScreenFull = isFull;
          this.#pace();
        },
        rebuilt: () => {},
      },
    });
  }

  #audienceChanged(): void {
    this.#screen.watched = this.#audience.watching().length > 0;
    this.#events.audienceChanged(this);
  }

  #drive(act: () => Size | null): void {
    const before = this.#driver.channel;
    const size = act();
    if (size !== null) this.#resize(size);
    if (this.#driver.channel !== before) this.#events.driverChanged(this);
  }

  #resize({ cols, rows }: Size): void {
    const size = { cols, rows }; // callers pass whole messages, whose other fields must not travel on
    const same = cols === this.size.cols && rows === this.size.rows;
    if (same || this.#state.name === 'exited') return;
    this.#batcher.flush();
    this.#sizes.record(this.#history.end, size);
    this.#pty.resize(size);
    this.#screen.resize(this.#history.end, size);
    this.#keeper.resized(this.#history.end, size);
    this.#events.resized(this, this.#history.end, size);
  }

  #touch(): void {
    this.#lastActivityAt = new Date();
    this.#activeAt = this.#clock.now();
  }

  #record(bytes: Uint8Array): void {
    this.#touch();
    const offset = this.#history.end;
    this.#history.write(bytes);
    this.#sizes.forget(this.#history.start);
    // Whoever watches comes first: a message to the screen's thread costs a tenth of an echo.
    this.#batcher.write(bytes);
    this.#screen.write(offset, bytes);
    this.#keeper.append(offset, bytes);
  }

  #emit(bytes: Uint8Array): void {
    const offset = this.#sent;
    this.#sent += bytes.length;
    this.#audience.mark('output');
    if (!this.#audience.isFollowed) return;
    const { wantsAck } = this.#audience.offer(bytes.length);
    if (!this.#audience.isFollowed) return;
    this.#events.output(this, offset, bytes, wantsAck);
    this.#audience.told(this.#sent);
  }

  #finish(exit: Exit): void {
    this.#batcher.flush();
    this.#enter({ name: 'exited', exit });
    this.#keeper.update({ exit });
    this.#events.exited(this, this.#history.end);
  }

  #pace(): void {
    if (this.#state.name === 'exited') return;
    if (this.#isScreenFull || this.#isBlocked) this.#pty.pause();
    else this.#pty.resume();
  }

  /** The only change of state after birth. */
  #enter(next: State): void {
    this.#state = next;
  }
}
