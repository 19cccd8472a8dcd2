/**
 * One program in one terminal, from start to exit, with its history and its attachments.
 *
 *          operator attaches
 *   orphaned ───────────► attached       When the program ends, both become `exited`, which is final.
 *      ▲                     │
 *      └─────────────────────┘           Reading starts with the program, not with the first attachment:
 *      last operator detaches            what is printed while nobody watches is kept as history too.
 *
 * Clients that only watch change neither state.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import type { ClientRole, SessionInfo, Theme } from '../../protocol/messages.ts';
import type { Keep } from '../disk/session-storage.ts';
import type { Attachment } from '../output/attachment.ts';
import type { Audience } from '../output/audience.ts';
import type { CreditWindow } from '../output/credit-window.ts';
import type { WindowOwner } from '../output/credit-windows.ts';
import { type OpenScreen, SessionOutput } from '../output/session-output.ts';
import { SessionReplays } from '../output/session-replays.ts';
import { isInteractiveShell } from '../pty/foreground.ts';
import type { Exit, Pty, SpawnPty, SpawnSpec } from '../pty/pty.ts';
import { terminate } from '../pty/terminate.ts';
import type { SnapshotRequest, Taken } from '../screen/snapshot.ts';
import { type Described, Description } from './description.ts';
import { type ClientSize, Driver } from './driver.ts';
import type { SessionEvents } from './session-events.ts';
import { SessionFacts } from './session-facts.ts';
import { SessionInput } from './session-input.ts';

interface SessionIdentity {
  readonly id: string;
  /** The session's number in data frames. */
  readonly handle: number;
  readonly epoch: string;
  readonly key: string | null;
  readonly name: string;
  /** Its own grace period, if it has one. */
  readonly graceMs?: number;
}

interface SessionOptions {
  readonly spawn: SpawnPty;
  readonly openScreen: OpenScreen;
  readonly clock: Clock;
  /** The credit window of a client. */
  readonly windowOf: (viewer: WindowOwner) => CreditWindow;
  readonly historyBytes: number;
  readonly events: SessionEvents<Session>;
  readonly keep: Keep;
  /** The session's position in the list. */
  readonly place: number;
  /** Colours of the window that created it. */
  readonly theme?: Theme | undefined;
  /** The old screen of a revived session; the new program prints below it. */
  readonly prelude?: Uint8Array;
}

type State =
  | { readonly name: 'orphaned'; readonly since: Date }
  | { readonly name: 'attached' }
  | { readonly name: 'exited'; readonly exit: Exit };

export class Session {
  readonly identity: SessionIdentity;
  readonly replays: SessionReplays;
  readonly input: SessionInput;
  readonly #events: SessionEvents<Session>;
  readonly #clock: Clock;
  readonly #pty: Pty;
  readonly #output: SessionOutput;
  readonly #facts: SessionFacts;
  readonly #driver = new Driver();
  readonly #description: Description;
  #state: State;

  constructor(identity: SessionIdentity, spec: SpawnSpec, options: SessionOptions) {
    const createdAt = new Date();
    this.identity = identity;
    this.#state = { name: 'orphaned', since: createdAt };
    this.#events = options.events;
    this.#clock = options.clock;
    this.#description = new Description({
      clock: options.clock,
      look: () => this.#described,
      tell: (channel, described) => this.#events.described(this, channel, described),
    });
    this.#pty = options.spawn(spec, {
      output: (bytes, isAll) => {
        this.#facts.touch();
        this.#output.record(bytes, isAll);
        this.#description.printed();
      },
      exited: (exit) => this.#finish(exit),
    });
    // Opened after the program, which may fail to start. The event loop delivers its first byte, so none is missed.
    this.#output = this.#openOutput(spec, createdAt, options);
    this.replays = new SessionReplays(this.#output);
    this.input = new SessionInput(this.#pty, options.clock);
    this.#facts = new SessionFacts(identity.name, createdAt, options.clock, this.#output.storage);
  }

  get info(): SessionInfo {
    const { id, key, epoch, graceMs } = this.identity;
    const { createdAt, cwd, lastActivityAt, name } = this.#facts;
    return {
      id,
      key,
      name,
      status: this.exit === null ? 'running' : 'exited',
      attached: this.viewers,
      orphanedSince: this.orphanedSince?.toISOString() ?? null,
      exitCode: this.exit?.code ?? null,
      signal: this.exit?.signal ?? null,
      cols: this.size.cols,
      rows: this.size.rows,
      cwd: cwd ?? this.#pty.cwd(),
      ...this.#described,
      createdAt: createdAt.toISOString(),
      lastActivityAt: lastActivityAt.toISOString(),
      ...(graceMs === undefined ? {} : { graceMs }),
      bufferBytes: this.#output.history.length,
      epoch,
    };
  }

  get name(): string {
    return this.#facts.name;
  }

  get size(): Size {
    return this.#output.history.size;
  }

  get exit(): Exit | null {
    return this.#state.name === 'exited' ? this.#state.exit : null;
  }

  get viewers(): number {
    return this.#output.audience.size;
  }

  /** Attachments that may type. They keep the session from expiring; those that only watch do not. [AG2] */
  get operators(): number {
    return this.#output.audience.operators;
  }

  get orphanedSince(): Date | null {
    return this.#state.name === 'orphaned' ? this.#state.since : null;
  }

  get idleMs(): number {
    return this.#facts.idleMs;
  }

  get end(): number {
    return this.#output.history.end;
  }

  /** The attachments. Use `attach`, `hide` and `detach` to change them. */
  get audience(): Omit<Audience, 'join' | 'hide' | 'leave'> {
    return this.#output.audience;
  }

  /** The client whose window sets the size; null if it has left. */
  get driver(): number | null {
    return this.#driver.channel;
  }

  /**
   * Adds an attachment; `replays` has what it missed. A client without a window neither sets the size nor keeps others
   * from setting it. The window of a client that only watches does not count. [RL7]
   */
  attach(viewer: Attachment, window: ClientSize | null, { isVisible = true } = {}): void {
    const { audience } = this.#output;
    const { channel, instance } = viewer;
    const isAlone = audience.watching().every((other) => other === channel || !this.#driver.hasWindow(other));
    audience.join(viewer);
    if (viewer.role === 'operator') {
      const joining = { channel, instance, isAlone, isVisible };
      if (window !== null) this.#drive(() => this.#driver.joined(joining, window));
      if (this.#state.name === 'orphaned') this.#enter({ name: 'attached' });
    }
    if (viewer.describe === true) this.#description.follow(viewer.channel, this.#described);
    else this.#description.leave(viewer.channel);
    this.#audienceChanged(viewer.role);
  }

  /** Nobody looks at this client: it stays attached, but learns only that something happened. [OU13] */
  hide(channel: number, describe = false): void {
    const { audience } = this.#output;
    const viewer = audience.viewer(channel);
    if (viewer === undefined) return;
    audience.hide(channel);
    if (describe) this.#description.follow(channel);
    else this.#description.leave(channel);
    if (viewer.role === 'operator') this.#handOver();
    this.#output.audienceChanged();
  }

  detach(channel: number): void {
    if (this.#leave(channel) === 'operator') this.#handOver();
  }

  /** The link is new and has no attachments yet. */
  detachAll(): void {
    // Nobody becomes the driver in between, because all of them leave.
    for (const channel of this.audience.channels()) this.#leave(channel);
  }

  /** Passes the new part of a client's input to the program. */
  type({ channel, instance }: Attachment, offset: number, bytes: Uint8Array): void {
    if (this.#state.name === 'exited')
      throw new Refusal('session_exited', 'The program has ended and reads no input.');
    const fresh = this.input.accept(instance, offset, bytes);
    this.#facts.touch();
    if (fresh.length > 0) this.#drive(() => this.#driver.takesOver(channel));
    this.#output.typed();
    this.input.write(instance, fresh, (taken) => this.#events.inputTaken(this, channel, taken));
  }

  /** A client's window was resized. The terminal follows if the client drives or takes over. */
  windowChanged(channel: number, window: ClientSize, takeOver: boolean): void {
    this.#drive(() => {
      const decisive = this.#driver.resized(channel, window);
      return takeOver ? this.#driver.takesOver(channel) : decisive;
    });
  }

  rename(name: string): void {
    this.#facts.rename(name);
  }

  /** Stores for the agent's next life when this session will be closed, or that it will not. [AG8] */
  noteClosing(at: Date | null): void {
    this.#output.storage.update({ closeAt: at?.toISOString() ?? null });
  }

  /** Ends the program and everything it started; `exited` follows. Resolves when no process is left. */
  async close(): Promise<void> {
    if (this.#state.name === 'exited') return;
    this.#pty.resume();
    await terminate(this.#pty, this.#clock);
  }

  /** The session is removed: deletes everything, in memory and on disk. */
  dispose(): void {
    this.#description.stop();
    this.#output.dispose();
  }

  /** The screen, with its history if requested; undefined if the session is disposed of first. */
  snapshot(request: SnapshotRequest): Promise<Taken> {
    return this.#output.screen.snapshot(request);
  }

  #openOutput(spec: SpawnSpec, createdAt: Date, options: SessionOptions): SessionOutput {
    const { id, key, name, graceMs } = this.identity;
    const { events, keep, place } = options;
    const metadata = {
      ...(graceMs === undefined ? {} : { graceMs }),
      ...spec,
      name,
      key,
      title: null,
      place,
      createdAt: createdAt.toISOString(),
      exit: null,
    };
    return new SessionOutput({
      ...options,
      pty: this.#pty,
      size: spec.size,
      keep: (kept) => keep({ id, metadata, ...kept, cwd: () => this.#directory(spec) }),
      screenEvents: {
        // The screen answers device queries exactly once, however many clients watch.
        answer: (bytes) => this.input.answer(bytes),
        title: (title) => {
          this.#facts.retitle(title);
          this.#description.titled();
        },
        cwd: (path) => this.#facts.moveTo(path),
      },
      events: {
        output: (offset, bytes, wantsAck) => events.output(this, offset, bytes, wantsAck),
        lagging: (viewer) => events.lagging(this, viewer),
        relieved: (viewer, has) => events.relieved(this, viewer, has),
        unseen: (viewer, what) => events.unseen(this, viewer, what),
      },
    });
  }

  /**
   * Where the agent's next life starts the program. A shell starts in its current directory as the system reports it,
   * because the shell's own report may be about another machine or out of date. Any other program starts in its
   * original directory, because its arguments may be relative paths.
   */
  #directory({ command, args, cwd }: SpawnSpec): string | null {
    return isInteractiveShell(command, args) ? (this.#pty.cwd() ?? this.#facts.cwd) : cwd;
  }

  get #described(): Described {
    const foreground = this.#pty.foreground();
    return { title: this.#facts.titleOf(foreground), foreground };
  }

  #audienceChanged(role: ClientRole): void {
    this.#output.audienceChanged();
    this.#events.audienceChanged(this, role);
  }

  /** Returns the role of the client that left; undefined if it was not attached. */
  #leave(channel: number): ClientRole | undefined {
    // Comes first: a client that set a size without attaching is forgotten too.
    this.#driver.left(channel);
    this.#description.leave(channel);
    const { audience } = this.#output;
    const role = audience.viewer(channel)?.role;
    if (role === undefined) return undefined;
    audience.leave(channel);
    if (this.#state.name === 'attached' && this.operators === 0) {
      this.#enter({ name: 'orphaned', since: new Date() });
    }
    this.#audienceChanged(role);
    return role;
  }

  /** The size follows the clients that still watch. [OU11] */
  #handOver(): void {
    this.#drive(() => this.#driver.remain(this.audience.watching()));
  }

  #drive(act: () => ClientSize | null): void {
    const before = this.#driver.channel;
    const window = act();
    if (window !== null) this.#resize(window);
    if (window?.theme !== undefined) this.#output.recolour(window.theme);
    if (this.#driver.channel !== before) this.#events.driverChanged(this);
  }

  #resize({ cols, rows }: Size): void {
    const same = cols === this.size.cols && rows === this.size.rows;
    if (same || this.#state.name === 'exited') return;
    const size = { cols, rows }; // without the window's other fields
    this.#events.resized(this, this.#output.resize(size), size);
  }

  #finish(exit: Exit): void {
    this.#output.finish();
    this.#enter({ name: 'exited', exit });
    this.#output.storage.update({ exit });
    this.#events.exited(this, this.end);
  }

  /** The only place that changes the state after construction. */
  #enter(next: State): void {
    this.#state = next;
  }
}
