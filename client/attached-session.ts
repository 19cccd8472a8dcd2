/**
 * One session as this client sees it: attaches, shows output, keeps what was typed, and does it all again
 * after every reconnect.
 *
 *   attaching ───────► live ───────► exited
 *      ▲   │ refused     │
 *      │   └─► gone      │ connection or agent lost
 *      └─────────────────┘
 */
import { encodeFrame, type Frame, type Size } from '../protocol/frame.ts';
import type { ServerMessage, ServerMessageOf, Theme } from '../protocol/messages.ts';
import { ClientInput } from './client-input.ts';
import { ClientOutput } from './client-output.ts';
import type { Resume } from './resume-record.ts';
import type { Screen } from './screen.ts';
import type { SessionLink } from './session-link.ts';
import type { SessionState, Unseen } from './session-state.ts';

/** What a client has of a session before it attaches for the first time, and how it wants to see it. */
export interface AttachOptions {
  /** The session has just been made, so that an empty screen shows all there was. */
  readonly isNew?: boolean;
  /** Whether somebody looks at it, which is so unless said otherwise; see `setVisible`. */
  readonly isVisible?: boolean;
  /** It was shown up to here before, by another client perhaps; `epoch` says in which life of the agent. */
  readonly resume?: { readonly epoch?: string; readonly offset: number };
  /** Screens come with the history above them; without; or it comes later, once the screen is shown. */
  readonly history?: 'all' | 'none' | 'later';
  /** Whether `description` is to be kept up to date; see `setVisible`. */
  readonly isDescribed?: boolean;
}

/** What runs in a session: the title its program has given it, and the program's name. */
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
  /** Asked to attach, and not yet answered. */
  #isAsking = false;
  /** … which is put off until the screen has shown what it has. */
  #asksLater = false;
  #toldTheme: Theme | undefined;
  #isDriver = false;
  #isVisible: boolean;
  #unseen: Unseen = 'nothing';
  #isDescribed: boolean;
  #description: SessionDescription | null = null;

  /** `size` is that of the client's window; who has none never decides the terminal's. */
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

  /** The life of the agent that offsets count in; undefined before it is known. */
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

  /** They were sent, and nothing of them has been taken for some seconds. */
  get isLate(): boolean {
    return this.#input.isLate;
  }

  /** Bytes typed that were given up since the session was last live: too old, too many, or meant for another life. */
  get discardedBytes(): number {
    return this.#input.discardedBytes;
  }

  /** What was typed and given up since this was last called, oldest first: too old, or meant for another life. */
  takeUndelivered(): Uint8Array<ArrayBuffer> {
    return this.#input.takeUndelivered();
  }

  /** Whether the terminal has the size of this client's window, and not of another's. */
  get isDriver(): boolean {
    return this.#isDriver;
  }

  /** Output that was printed while we were away and is gone for good, at the last reconnect. */
  get lostBytes(): number {
    return this.#output.lostBytes;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  /** What happened since it was hidden. */
  get unseen(): Unseen {
    return this.#unseen;
  }

  /** What runs in it, as told when it was attached and since; null before. */
  get description(): SessionDescription | null {
    return this.#description;
  }

  /** How the program ended, as soon as that is known; `state` says it once all it printed is shown. */
  get exit(): { readonly exitCode: number | null; readonly signal: string | null } | null {
    return this.#exit ?? null;
  }

  /** Whether the program had ended before we attached last: nobody here has seen it end. */
  get hadEnded(): boolean {
    return this.#hadEnded;
  }

  /** How the last return to this session went; null before the first. */
  get lastResume(): Resume | null {
    return this.#output.lastResume;
  }

  /** Calls `listener` after anything here has changed; returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ── From the person ──────────────────────────────────────────────────────────────────────────────

  /** False when it is not kept: too much has been typed while nobody could hear it. [IN7] */
  type(bytes: Uint8Array): boolean {
    return this.#input.type(bytes);
  }

  /** The window has room for `size`; the terminal follows while this client drives. */
  resize(size: Size): void {
    this.#size = size;
    if (this.#handle !== undefined && this.#isVisible)
      this.#link.sendMessage({ type: 'resize', session: this.id, ...size });
  }

  /** This client's colours have changed; programs that ask are told the new ones while it drives. [OU18] */
  recolour(): void {
    const theme = this.#link.theme();
    if (this.#handle === undefined || !this.#isVisible || this.#size === null || theme === undefined) return;
    this.#toldTheme = theme;
    this.#link.sendMessage({ type: 'resize', session: this.id, ...this.#size, theme });
  }

  /**
   * Whether somebody looks: the page is visible and this is its open tab. Hidden, no output comes, the program waits
   * for nobody, and `unseen` says that something happened; visible again, it catches up. [OU13] `isDescribed`: a person
   * sees what runs in it, on a tab for instance, also while it is hidden; `description` is kept up to date then.
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
      // What is asked for at this moment was asked for otherwise; the answer to that would not do.
      if (this.#isAsking || (isVisible && this.#handle !== undefined)) this.#ask();
      else if (this.#handle !== undefined) this.#hide();
    }
    this.#changed();
  }

  /** Something else was drawn over the screen: have all of it sent again, now or with the next attach. */
  redraw(): void {
    this.#output.startAnew();
    if (this.#handle !== undefined && this.#isVisible && this.#state.name !== 'exited') this.#ask();
  }

  /** From now on this client's window decides the size, whoever typed last. */
  takeOver(): void {
    if (this.#handle === undefined || this.#size === null) return;
    this.#link.sendMessage({ type: 'resize', session: this.id, ...this.#size, takeOver: true });
  }

  // ── From the connection ──────────────────────────────────────────────────────────────────────────

  /** The agent is there, perhaps again: ask for what is missing. */
  attach(): void {
    if (this.#state.name === 'gone') return;
    this.detached();
    this.#ask();
  }

  /** The way to the agent is cut, `since` then if that is noticed only now; the screen stays as it is. */
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
        // One that was sent before we asked, or before it was hidden; what is asked for since comes later.
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
        this.#changed(); // also of one that is hidden, and whose output does not come
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

  // ── Inside ───────────────────────────────────────────────────────────────────────────────────────

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
    // Every answer is more to show: whoever reconnects all night would gather a window each time. [RL23]
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

  /** The screen has room again, and the agent was asked to stop or was not asked yet. */
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
    // An agent that is away answers nothing about the session; its return asks again.
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
    if (this.#link.theme() !== this.#toldTheme) this.recolour(); // it changed since this was asked for
    if (!this.#isVisible) this.#becomeLive(); // nothing to wait for
  }

  /** Live once the replay is in; exited once the last byte is. */
  #caughtUp(isNews: boolean): void {
    // Shown again, it was live all the time; that it has caught up is news all the same.
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

  /** What was on its way when it was shown again is no news. */
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
