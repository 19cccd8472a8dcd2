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
import { INPUT_BACKLOG_MAX_BYTES, OUTPUT_WINDOW_BYTES } from '../protocol/limits.ts';
import type { ClientRole, SessionInfo } from '../protocol/messages.ts';
import { Flow } from './flow.ts';
import { InputLedger } from './input-ledger.ts';
import { OutputBatcher } from './output-batcher.ts';
import { printable } from './printable.ts';
import type { Exit, Pty, SpawnPty, SpawnSpec } from './pty.ts';
import { RingBuffer } from './ring-buffer.ts';
import type { Screen, ScreenOptions } from './screen/screen.ts';
import type { Snapshot, SnapshotRequest } from './screen/snapshot.ts';
import type { Keep, SessionKeeper } from './session-keeper.ts';
import { terminate } from './terminate.ts';

export interface Viewer {
  readonly channel: number;
  readonly role: ClientRole;
  /** The page load (or process) behind the channel; its input is counted by it, over reconnects. */
  readonly instance: string;
}

export interface SessionIdentity {
  readonly id: string;
  /** The session's number in data frames. */
  readonly handle: number;
  readonly epoch: string;
  readonly key: string | null;
  readonly name: string;
}

/** What a session needs of a screen; screen/pool.ts has real ones. */
export type SessionScreen = Pick<Screen, 'write' | 'resize' | 'snapshot' | 'close' | 'watched'>;
export type OpenScreen = (size: Size, options: Pick<ScreenOptions, 'events' | 'history'>) => SessionScreen;

/** What a session tells the world, in order. */
export interface SessionEvents {
  output(session: Session, offset: number, bytes: Uint8Array): void;
  resized(session: Session, offset: number, size: Size): void;
  inputTaken(session: Session, channel: number, offset: number): void;
  /** A viewer came or went. */
  audienceChanged(session: Session): void;
  /** Everything printed has been told; `session.exit` says how it ended. */
  exited(session: Session, offset: number): void;
}

/** What a viewer is given to catch up. */
export interface Replay {
  readonly from: number;
  readonly to: number;
  /** Bytes it asked for that are gone. */
  readonly lost: number;
  readonly bytes: Uint8Array;
}

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
  readonly #flow = new Flow(OUTPUT_WINDOW_BYTES);
  readonly #ledger = new InputLedger();
  readonly #viewers = new Map<number, Viewer>();
  readonly #createdAt = new Date();
  #lastActivityAt = this.#createdAt;
  /** The same moment on the monotonic clock: a jump of the wall clock must not make a session idle. */
  #activeAt: number;
  #name: string;
  #size: Size;
  #state: State = { name: 'orphaned', since: this.#createdAt };
  /** Offset up to which output has left for the viewers. */
  #sent = 0;
  /** Whether more is printed than the screen can parse. */
  #isScreenFull = false;
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
    this.#size = spec.size;
    this.#events = options.events;
    this.#clock = options.clock;
    this.#activeAt = options.clock.now();
    this.#history = new RingBuffer(options.historyBytes);
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
      attached: this.#viewers.size,
      orphanedSince: this.orphanedSince?.toISOString() ?? null,
      exitCode: exit?.code ?? null,
      signal: exit?.signal ?? null,
      cols: this.#size.cols,
      rows: this.#size.rows,
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
    return this.#size;
  }

  get exit(): Exit | null {
    return this.#state.name === 'exited' ? this.#state.exit : null;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  get orphanedSince(): Date | null {
    return this.#state.name === 'orphaned' ? this.#state.since : null;
  }

  /** How long neither input nor output has happened. */
  get idleMs(): number {
    return this.#clock.now() - this.#activeAt;
  }

  get end(): number {
    return this.#history.end;
  }

  /** Whether `channel` would be the only viewer, and so decides the size. */
  isUnwatchedBut(channel: number): boolean {
    return [...this.#viewers.keys()].every((other) => other === channel);
  }

  viewer(channel: number): Viewer | undefined {
    return this.#viewers.get(channel);
  }

  /** How much of an instance's input the program has taken. [IN4] */
  inputTaken(instance: string): number {
    return this.#ledger.taken(instance);
  }

  /**
   * What `viewer` has missed since `from`. Everything told before this call is in the replay, everything
   * after it comes as output: neither hole nor overlap. [OU1]
   */
  attach(viewer: Viewer, from: number): Replay {
    this.#batcher.flush();
    this.#viewers.set(viewer.channel, viewer);
    const to = this.#history.end;
    // A client that claims more than was ever printed has confused us with another life; it gets it all.
    const wanted = from > to ? 0 : from;
    const start = Math.max(wanted, this.#history.start);
    this.#flow.attach(viewer.channel, start);
    if (this.#state.name === 'orphaned') this.#enter({ name: 'attached' });
    this.#audienceChanged();
    return { from: start, to, lost: start - wanted, bytes: this.#history.read(start) };
  }

  detach(channel: number): void {
    if (!this.#viewers.delete(channel)) return;
    this.#flow.detach(channel);
    this.#pace();
    if (this.#state.name === 'attached' && this.#viewers.size === 0) {
      this.#enter({ name: 'orphaned', since: new Date() });
    }
    this.#audienceChanged();
  }

  /** The link is new: nobody is attached on it yet. */
  detachAll(): void {
    for (const channel of [...this.#viewers.keys()]) this.detach(channel);
  }

  acknowledge(channel: number, offset: number): void {
    this.#flow.acknowledge(channel, offset, this.#history.end);
    this.#pace();
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
      throw new Refusal('bad_request', 'Input is missing before this; reattach and send it again.');
    this.#touch();
    this.#pty.write(fresh, () => {
      const taken = this.#ledger.take(viewer.instance, fresh.length);
      this.#events.inputTaken(this, viewer.channel, taken);
    });
  }

  resize({ cols, rows }: Size): void {
    const size = { cols, rows }; // callers pass whole messages, whose other fields must not travel on
    const same = cols === this.#size.cols && rows === this.#size.rows;
    if (same || this.#state.name === 'exited') return;
    this.#batcher.flush();
    this.#size = size;
    this.#pty.resize(size);
    this.#screen.resize(this.#history.end, size);
    this.#keeper.resized(this.#history.end, size);
    this.#events.resized(this, this.#history.end, size);
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
    return open(this.#size, {
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
        bell: () => {},
        full: (isFull) => {
          this.#isScreenFull = isFull;
          this.#pace();
        },
        rebuilt: () => {},
      },
    });
  }

  #audienceChanged(): void {
    this.#screen.watched = this.#viewers.size > 0;
    this.#events.audienceChanged(this);
  }

  #touch(): void {
    this.#lastActivityAt = new Date();
    this.#activeAt = this.#clock.now();
  }

  #record(bytes: Uint8Array): void {
    this.#touch();
    const offset = this.#history.end;
    this.#history.write(bytes);
    // Whoever watches comes first: a message to the screen's thread costs a tenth of an echo.
    this.#batcher.write(bytes);
    this.#screen.write(offset, bytes);
    this.#keeper.append(offset, bytes);
    this.#pace();
  }

  #emit(bytes: Uint8Array): void {
    const offset = this.#sent;
    this.#sent += bytes.length;
    if (this.#viewers.size > 0) this.#events.output(this, offset, bytes);
  }

  #finish(exit: Exit): void {
    this.#batcher.flush();
    this.#enter({ name: 'exited', exit });
    this.#keeper.update({ exit });
    this.#events.exited(this, this.#history.end);
  }

  #pace(): void {
    if (this.#state.name === 'exited') return;
    if (this.#isScreenFull || this.#flow.isBlocked(this.#history.end)) this.#pty.pause();
    else this.#pty.resume();
  }

  /** The only change of state after birth. */
  #enter(next: State): void {
    this.#state = next;
  }
}
