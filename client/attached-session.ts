/**
 * One session as this client sees it: attaches, shows output, keeps what was typed, and repeats all of it after every
 * reconnect.
 *
 *   attaching ───────► live ───────► exited
 *      ▲   │ refused     │
 *      │   └─► gone      │ connection or agent lost
 *      └─────────────────┘
 */
import { encodeFrame, type Frame, type Size } from '../protocol/frame.ts';
import type { Theme } from '../protocol/message-parts.ts';
import type { ServerMessage, ServerMessageOf } from '../protocol/server-message.ts';
import { ClientInput } from './client-input.ts';
import { ClientOutput } from './client-output.ts';
import type { Resume } from './resume-record.ts';
import type { Screen } from './screen.ts';
import type { SessionLink } from './session-link.ts';
import type { SessionState, Unseen } from './session-state.ts';

/** What a client already has of a session before it first attaches, and how it wants to see it. */
export interface AttachOptions {
  /** The session was just created, so an empty screen shows all its output so far. */
  readonly isNew?: boolean;
  /** Whether somebody looks at the session; true by default. See `setVisible`. */
  readonly isVisible?: boolean;
  /**
   * The session was shown up to this offset before, perhaps by another client; `epoch` is the agent's epoch of the
   * offset.
   */
  readonly resume?: { readonly epoch?: string; readonly offset: number };
  /** Whether screens come with the history above them, without it, or get it later, once the screen is shown. */
  readonly history?: 'all' | 'none' | 'later';
  /** Whether to keep `description` up to date; see `setVisible`. */
  readonly isDescribed?: boolean;
}

/** What runs in a session: the title set by its program, and the program's name. */
export interface SessionDescription {
  readonly title: string | null;
  readonly foreground: string | null;
}

interface Exit {
  readonly offset: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export class AttachedSession {
  readonly id: string;
  readonly #link: SessionLink;
  readonly #output: ClientOutput;
  readonly #input: ClientInput;
  readonly #wantedHistory: 'all' | 'none' | 'later';
  readonly #listeners = new Set<() => void>();
  #state: SessionState = { name: 'attaching' };
  #size: Size | null;
  #epoch: string | undefined;
  #handle: number | undefined;
  #exit: Exit | undefined;
  #hadEnded = false;
  #request = '';
  /** An attach request was sent, and not answered yet. */
  #isAsking = false;
  /** The attach request is postponed until the screen has caught up. */
  #asksLater = false;
  #toldTheme: Theme | undefined;
  #isDriver = false;
  #isVisible: boolean;
  #unseen: Unseen = 'nothing';
  #isDescribed: boolean;
  #description: SessionDescription | null = null;

  /** `size` is that of the client's window; a client without one never decides the terminal's size. */
  constructor(id: string, size: Size | null, screen: Screen, link: SessionLink, options: AttachOptions) {
    const { isNew = false, isVisible = true, isDescribed = false, resume, history = 'all' } = options;
    this.id = id;
    this.#size = size;
    this.#link = link;
    this.#epoch = resume?.epoch;
    this.#wantedHistory = history;
    this.#isVisible = isVisible;
    this.#isDescribed = isDescribed;
    this.#output = this.#outputOn(screen, resume?.offset ?? (isNew ? 0 : undefined));
    this.#input = this.#newInput();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The session's number in data frames, while attached. */
  get handle(): number | undefined {
    return this.#handle;
  }

  /** The agent's epoch in which offsets are counted; undefined until it is known. */
  get epoch(): string | undefined {
    return this.#epoch;
  }

  /** Bytes typed that have not reached the program. */
  get unsentBytes(): number {
    return this.#input.pendingBytes;
  }

  /** Those bytes, oldest first. */
  unsent(): Uint8Array<ArrayBuffer> {
    return this.#input.pending();
  }

  /** Input was sent, and the program has taken none of it for some seconds. */
  get isLate(): boolean {
    return this.#input.isLate;
  }

  /** Bytes typed that were discarded since the session was last live: too old, too many, or meant for another epoch. */
  get discardedBytes(): number {
    return this.#input.discardedBytes;
  }

  /** Input discarded since the last call, oldest first: too old, or meant for another epoch. */
  takeUndelivered(): Uint8Array<ArrayBuffer> {
    return this.#input.takeUndelivered();
  }

  /** Whether this client is the driver: the terminal has the size of its window. */
  get isDriver(): boolean {
    return this.#isDriver;
  }

  /** Bytes printed while disconnected that could not be replayed, at the last reconnect. */
  get lostBytes(): number {
    return this.#output.lostBytes;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  /** What happened since the session was hidden. */
  get unseen(): Unseen {
    return this.#unseen;
  }

  /** What runs in the session, as last reported; null before the first attach. */
  get description(): SessionDescription | null {
    return this.#description;
  }

  /** How the program ended, as soon as that is known. `state` changes only once all output is shown. */
  get exit(): { readonly exitCode: number | null; readonly signal: string | null } | null {
    return this.#exit ?? null;
  }

  /** Whether the program had already ended when this client last attached, so nobody here has seen it end. */
  get hadEnded(): boolean {
    return this.#hadEnded;
  }

  /** How the last return to this session went; null before the first one. */
  get lastResume(): Resume | null {
    return this.#output.lastResume;
  }

  /** Calls `listener` after every change. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ── Called by the user interface ─────────────────────────────────────────────────────────────────

  /** False when the input is not kept, because too much was typed while disconnected. [IN7] */
  type(bytes: Uint8Array): boolean {
    return this.#input.type(bytes);
  }

  /** The window's new size; the terminal follows while this client is the driver. */
  resize(size: Size): void {
    this.#size = size;
    if (this.#handle !== undefined && this.#isVisible)
      this.#link.sendMessage({ type: 'resize', session: this.id, ...size });
  }

  /**
   * This client's colours have changed. While it is the driver, programs that query colours get the new ones. [OU18]
   */
  recolour(): void {
    const theme = this.#link.theme();
    if (this.#handle === undefined || !this.#isVisible || this.#size === null || theme === undefined) return;
    this.#toldTheme = theme;
    this.#link.sendMessage({ type: 'resize', session: this.id, ...this.#size, theme });
  }

  /**
   * Sets whether somebody looks: the page is visible and this is its open tab. While hidden, the session gets no
   * output, its program waits for nobody, and `unseen` tells that something happened; when visible again, it catches
   * up. [OU13] `isDescribed`: a person sees what runs in it even while it is hidden, for example on a tab, so
   * `description` is kept up to date.
   */
  setVisible(isVisible: boolean, isDescribed = this.#isDescribed): void {
    const wasDescribed = this.#isDescribed;
    this.#isDescribed = isDescribed;
    if (isVisible === this.#isVisible) {
      if (isDescribed !== wasDescribed) this.#describedChanged();
      return;
    }
    this.#isVisible = isVisible;
    if (isVisible) this.#unseen = 'nothing';
    if (this.#state.name !== 'exited') {
      // The pending attach request has the old visibility, so its answer would not fit.
      if (this.#isAsking || (isVisible && this.#handle !== undefined)) this.#ask();
      else if (this.#handle !== undefined) this.#hide();
    }
    this.#changed();
  }

  /** Something else was drawn over the screen: requests all of it again, now or with the next attach. */
  redraw(): void {
    this.#output.startAnew();
    if (this.#handle !== undefined && this.#isVisible && this.#state.name !== 'exited') this.#ask();
  }

  /** Makes this client the driver, whoever typed last. */
  takeOver(): void {
    if (this.#handle === undefined || this.#size === null) return;
    this.#link.sendMessage({ type: 'resize', session: this.id, ...this.#size, takeOver: true });
  }

  // ── Called by the connection ─────────────────────────────────────────────────────────────────────

  /** The agent is connected, perhaps again: requests what is missing. */
  attach(): void {
    if (this.#state.name === 'gone') return;
    this.detached();
    this.#ask();
  }

  /** The connection to the agent was lost, at `since` if that is noticed only now. The screen stays as it is. */
  detached(since = this.#link.clock.now()): void {
    if (this.#handle !== undefined) this.#output.left(since);
    this.#handle = undefined;
    this.#isAsking = false;
    this.#asksLater = false;
    this.#input.cutOff();
    this.#output.forgetReplay();
    if (this.#state.name === 'live') this.#enter({ name: 'attaching' });
  }

  receive(message: ServerMessage): void {
    switch (message.type) {
      case 'session_reattached':
        if (message.request === this.#request) this.#reattached(message);
        return;
      case 'scrollback':
        // Ignore a replay sent before the last request, or before hiding. What was requested since comes later.
        if (this.#handle !== undefined && this.#isListening()) this.#output.replayBegins(message);
        return;
      case 'session_activity':
        this.#noticed(message.bell);
        return;
      case 'session_described':
        this.#describe(message);
        return;
      case 'session_driver':
        this.#isDriver = message.yours;
        this.#changed();
        return;
      case 'session_exited':
        this.#exit = message;
        this.#output.settle();
        this.#changed(); // also while hidden, when no output arrives
        return;
      case 'session_closed':
        this.#enter({ name: 'gone', code: 'session_missing', why: 'This session was closed.' });
        return;
      case 'error':
        this.#refused(message);
        return;
      default:
        return;
    }
  }

  receiveFrame(frame: Frame): void {
    if (frame.kind === 'ack') this.#input.acknowledged(frame.offset);
    else this.#output.receive(frame);
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  #outputOn(screen: Screen, shown: number | undefined): ClientOutput {
    const owner = {
      isAttached: () => this.#handle !== undefined,
      isListening: () => this.#isListening(),
      acknowledge: (offset: number) => this.#acknowledge(offset),
      missed: () => this.attach(),
      caughtUp: (isNews: boolean) => this.#caughtUp(isNews),
      fellBehind: () => this.#sendHide(),
      keptUp: () => this.#keptUp(),
    };
    return new ClientOutput(screen, this.#link, owner, shown);
  }

  #newInput(): ClientInput {
    const owner = {
      handle: () => this.#handle,
      changed: () => this.#changed(),
      askAgain: () => this.attach(),
    };
    return new ClientInput(this.#link, owner);
  }

  #isListening(): boolean {
    return !this.#isAsking && this.#isVisible;
  }

  #ask(): void {
    this.#output.forgetReplay();
    this.#output.asked();
    this.#request = this.#link.newRequest();
    this.#isAsking = true;
    // Every answer adds output to show: reconnecting all night would accumulate a window each time. [RL23]
    this.#asksLater = this.#output.isBehind;
    if (this.#asksLater) return;
    const from = this.#output.resumesFrom;
    const theme = this.#link.theme();
    this.#toldTheme = theme;
    this.#link.sendMessage({
      type: 'reattach_session',
      answersReadChecks: true,
      request: this.#request,
      session: this.id,
      instance: this.#link.instance,
      typed: this.#input.taken,
      exited: 'read',
      ...(from === undefined ? {} : { from }),
      ...(this.#epoch === undefined ? {} : { epoch: this.#epoch }),
      ...(this.#isVisible ? {} : { hidden: true }),
      ...(this.#isDescribed ? { describe: true } : {}),
      ...(this.#wantedHistory === 'all' ? {} : { history: this.#wantedHistory }),
      ...(this.#size ?? {}),
      ...(theme === undefined ? {} : { theme }),
    });
  }

  /** The screen has room again. Attaches if the agent was asked to stop, or if attaching was postponed. */
  #keptUp(): void {
    const isStopped = this.#handle !== undefined && this.#isVisible && !this.#isAsking;
    if (this.#state.name !== 'gone' && (isStopped || this.#asksLater)) this.#ask();
  }

  #describedChanged(): void {
    if (this.#state.name === 'exited') return;
    if (this.#isAsking) this.#ask();
    else if (this.#handle !== undefined && !this.#isVisible) this.#sendHide();
  }

  #hide(): void {
    this.#output.left(this.#link.clock.now());
    this.#output.forgetReplay();
    this.#sendHide();
  }

  #sendHide(): void {
    const describe = this.#isDescribed ? { describe: true } : {};
    this.#link.sendMessage({ type: 'hide_session', session: this.id, ...describe });
  }

  #refused({ code, message, request }: ServerMessageOf<'error'>): void {
    if (request !== this.#request) {
      if (code === 'input_backlog' || code === 'input_hole') this.#input.refused();
      return;
    }
    // Without an agent this says nothing about the session. When the agent returns, the client asks again.
    if (code !== 'agent_offline') this.#enter({ name: 'gone', code, why: message });
  }

  #reattached({ session, handle, inputOffset }: ServerMessageOf<'session_reattached'>): void {
    const isOtherLife = this.#epoch !== undefined && this.#epoch !== session.epoch;
    if (isOtherLife) this.#output.programReplaced();
    this.#epoch = session.epoch;
    this.#hadEnded = session.status === 'exited';
    this.#handle = handle;
    this.#describe(session);
    this.#isAsking = false;
    this.#input.met(inputOffset, isOtherLife);
    if (this.#link.theme() !== this.#toldTheme) this.recolour(); // changed since the request was sent
    if (!this.#isVisible) this.#becomeLive(); // no replay to wait for
  }

  /** Becomes live once the replay is received, or exited once the last byte is. */
  #caughtUp(isNews: boolean): void {
    // A session that is shown again was live all along, but listeners must learn that it has caught up.
    if (isNews && this.#state.name === 'live') this.#changed();
    const exit = this.#exit;
    if (exit !== undefined && this.#output.next >= exit.offset) {
      this.#enter({ name: 'exited', exitCode: exit.exitCode, signal: exit.signal });
    } else {
      this.#becomeLive();
    }
  }

  #becomeLive(): void {
    if (this.#state.name !== 'attaching') return;
    this.#input.becameLive();
    this.#enter({ name: 'live' });
  }

  /** Ignores a notice that was on its way when the session was shown again. */
  #noticed(bell: boolean): void {
    if (this.#isVisible) return;
    this.#unseen = bell ? 'bell' : this.#unseen === 'bell' ? 'bell' : 'output';
    this.#changed();
  }

  #describe({ title, foreground }: SessionDescription): void {
    this.#description = { title, foreground };
    this.#changed();
  }

  #acknowledge(offset: number): void {
    if (this.#handle === undefined) return;
    this.#link.sendFrame(encodeFrame({ kind: 'ack', channel: 0, handle: this.#handle, offset }));
  }

  #enter(next: SessionState): void {
    this.#state = next;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
    this.#link.stateChanged();
  }
}
