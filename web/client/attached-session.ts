/**
 * One session as this client sees it: attaches, shows output, keeps what was typed, and does it all again
 * after every reconnect.
 *
 *   attaching ───────► live ───────► exited
 *      ▲   │ refused     │
 *      │   └─► gone      │ connection or agent lost
 *      └─────────────────┘
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { ErrorCode } from '../../protocol/errors.ts';
import { decodeSize, encodeFrame, type Frame, type Size } from '../../protocol/frame.ts';
import { INPUT_RETRY_MS, OFFLINE_INPUT_MAX_BYTES, OFFLINE_INPUT_MAX_MS } from '../../protocol/limits.ts';
import type { ClientMessage, ServerMessage, ServerMessageOf, SessionInfo } from '../../protocol/messages.ts';
import { AckPacer } from './ack-pacer.ts';
import { IncomingSnapshot } from './incoming-snapshot.ts';
import { InputOutbox } from './input-outbox.ts';
import { OutputCursor } from './output-cursor.ts';
import { type Resume, ResumeRecord } from './resume-record.ts';

/** Where a session's output goes: a terminal, or whatever stands for one. */
export interface Screen {
  /** Shows bytes; `shown` runs when they have been parsed, in order. */
  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void;
  /** Forgets everything: another beginning follows. With kind `snapshot`, the next `write` is the screen itself. */
  reset(beginning?: Beginning): void;
  resize(size: Size): void;
}

/** Where a screen starts anew, and how much output before it nobody will show. */
export interface Beginning {
  readonly kind: 'delta' | 'snapshot';
  readonly offset: number;
  readonly lost: number;
}

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
}

export type SessionState =
  | { readonly name: 'attaching' }
  | { readonly name: 'live' }
  | { readonly name: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  /** The session can not be attached: it does not exist any more, or may not be watched. */
  | { readonly name: 'gone'; readonly code: ErrorCode; readonly why: string };

/** Undoes raw deflate; the page and Node each have their own way. */
export type Inflate = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

export interface Link {
  readonly inflate: Inflate;
  readonly instance: string;
  readonly clock: Clock;
  sendMessage(message: ClientMessage): void;
  sendFrame(frame: Uint8Array<ArrayBuffer>): void;
  newRequest(): string;
  stateChanged(session: AttachedSession): void;
  /** Something typed was acknowledged by the agent, this long after it was sent. */
  agentAnswered(roundTripMs: number): void;
}

/** What happened in a session since somebody last looked at it. */
export type Unseen = 'nothing' | 'output' | 'bell';

export class AttachedSession {
  readonly id: string;
  readonly #link: Link;
  readonly #screen: Screen;
  readonly #cursor: OutputCursor;
  readonly #outbox = new InputOutbox();
  readonly #pacer: AckPacer;
  #state: SessionState = { name: 'attaching' };
  #size: Size | null;
  #epoch: string | undefined;
  #handle: number | undefined;
  /** Output up to here was printed before we attached; until it is shown we are catching up. */
  #replayEnd: number | undefined;
  #exit:
    | { readonly offset: number; readonly exitCode: number | null; readonly signal: string | null }
    | undefined;
  #lost = 0;
  /** Whether the screen shows everything up to the cursor. */
  #hasBeginning: boolean;
  /** A snapshot on its way; what follows it waits until it is shown. */
  #snapshot: IncomingSnapshot | undefined;
  #waiting: Frame[] = [];
  #request = '';
  /** Asked to attach, and not yet answered. */
  #isAsking = false;
  /** Whether the agent has said how much of our input it has taken. */
  #hasMet = false;
  #discarded = 0;
  #isDriver = false;
  #isVisible: boolean;
  readonly #wantedHistory: 'all' | 'none' | 'later';
  #unseen: Unseen = 'nothing';
  readonly #resume = new ResumeRecord();
  /** Input on its way whose acknowledgement tells how far the agent is. */
  #timed: { readonly offset: number; readonly at: number } | undefined;
  readonly #listeners = new Set<() => void>();
  /** Before it was live once there is nothing stale to type at; afterwards, what is typed while cut off ages. */
  #hasBeenLive = false;
  #forgetLater: Cancel | undefined;
  #retryInput: Cancel | undefined;

  /** `size` is that of the client's window; who has none never decides the terminal's. */
  constructor(id: string, size: Size | null, screen: Screen, link: Link, options: AttachOptions) {
    const { isNew = false, isVisible = true, resume, history = 'all' } = options;
    this.#hasBeginning = isNew || resume !== undefined;
    this.#cursor = new OutputCursor(resume?.offset);
    this.#epoch = resume?.epoch;
    this.#wantedHistory = history;
    this.#isVisible = isVisible;
    this.id = id;
    this.#size = size;
    this.#screen = screen;
    this.#link = link;
    this.#pacer = new AckPacer(link.clock, (offset) => this.#sendAck(offset));
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
    return this.#outbox.pendingBytes;
  }

  /** Those bytes, oldest first. */
  unsent(): Uint8Array<ArrayBuffer> {
    return this.#outbox.pending();
  }

  /** Bytes typed that were given up since the session was last live: too old, too many, or meant for another life. */
  get discardedBytes(): number {
    return this.#discarded;
  }

  /** Whether the terminal has the size of this client's window, and not of another's. */
  get isDriver(): boolean {
    return this.#isDriver;
  }

  /** Output that was printed while we were away and is gone for good, at the last reconnect. */
  get lostBytes(): number {
    return this.#lost;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  /** What happened since it was hidden. */
  get unseen(): Unseen {
    return this.#unseen;
  }

  /** How the program ended, as soon as that is known; `state` says it once all it printed is shown. */
  get exit(): { readonly exitCode: number | null; readonly signal: string | null } | null {
    return this.#exit ?? null;
  }

  /** How the last return to this session went; null before the first. */
  get lastResume(): Resume | null {
    return this.#resume.last;
  }

  /** Calls `listener` after anything here has changed; returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ── From the person ──────────────────────────────────────────────────────────────────────────────

  /** False when it is not kept: too much has been typed while nobody could hear it. [IN7] */
  type(bytes: Uint8Array): boolean {
    if (this.#handle === undefined && this.#hasBeenLive) {
      if (this.#outbox.waitingBytes + bytes.length > OFFLINE_INPUT_MAX_BYTES) {
        this.#discarded += bytes.length;
        this.#changed();
        return false;
      }
      this.#forgetLater ??= this.#link.clock.after(OFFLINE_INPUT_MAX_MS, () => this.#forgetTyped());
    }
    this.#outbox.type(bytes);
    this.#sendInput();
    this.#changed();
    return true;
  }

  /** The window has room for `size`; the terminal follows while this client drives. */
  resize(size: Size): void {
    this.#size = size;
    if (this.#handle !== undefined && this.#isVisible)
      this.#link.sendMessage({ type: 'resize', session: this.id, ...size });
  }

  /**
   * Whether somebody looks: the page is visible and this is its open tab. Hidden, no output comes, the program waits
   * for nobody, and `unseen` says that something happened; visible again, it catches up. [OU13]
   */
  setVisible(isVisible: boolean): void {
    if (isVisible === this.#isVisible) return;
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
    this.#hasBeginning = false;
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

  /** The way to the agent is cut; the screen stays as it is. */
  detached(): void {
    if (this.#handle !== undefined) this.#resume.left(this.#link.clock.now());
    this.#handle = undefined;
    this.#isAsking = false;
    this.#timed = undefined;
    this.#retryInput?.();
    this.#retryInput = undefined;
    this.#forgetReplay();
    if (this.#state.name === 'live') this.#enter({ name: 'attaching' });
  }

  receive(message: ServerMessage): void {
    switch (message.type) {
      case 'session_reattached':
        if (message.request === this.#request)
          this.#reattached(message.session, message.handle, message.inputOffset);
        return;
      case 'scrollback':
        // One that was sent before we asked; ours comes after its confirmation.
        if (this.#handle !== undefined && !this.#isAsking) this.#replayBegins(message);
        return;
      case 'session_activity':
        this.#noticed(message.bell);
        return;
      case 'session_driver':
        this.#isDriver = message.yours;
        this.#changed();
        return;
      case 'session_exited':
        this.#exit = message;
        this.#settle();
        return;
      case 'session_closed':
        this.#enter({ name: 'gone', code: 'session_missing', why: 'This session was closed.' });
        return;
      case 'error':
        if (message.request === this.#request) this.#refused(message);
        else if (message.code === 'input_backlog' || message.code === 'input_hole') this.#inputRefused();
        return;
      default:
        return;
    }
  }

  receiveFrame(frame: Frame): void {
    if (frame.kind === 'ack') {
      this.#outbox.acknowledge(frame.offset);
      this.#timeAnswer(frame.offset);
      this.#sendInput();
      this.#changed();
    } else if (this.#isAsking || !this.#isVisible) {
      // On its way when it was hidden, or before what was asked for since: that will contain it.
    } else if (frame.kind === 'snapshot') {
      if (this.#snapshot?.add(frame.offset, frame.payload)) void this.#showSnapshot(this.#snapshot);
    } else if (this.#snapshot !== undefined) {
      this.#waiting.push(frame);
    } else {
      this.#show(frame);
    }
  }

  // ── Inside ───────────────────────────────────────────────────────────────────────────────────────

  #ask(): void {
    this.#forgetReplay();
    this.#resume.asked(this.#link.clock.now());
    this.#request = this.#link.newRequest();
    this.#isAsking = true;
    this.#link.sendMessage({
      type: 'reattach_session',
      request: this.#request,
      session: this.id,
      instance: this.#link.instance,
      typed: this.#outbox.acknowledged,
      exited: 'read',
      // Who has seen nothing asks for the screen, not for the story of how it came about.
      ...(this.#hasBeginning ? { from: this.#cursor.next } : {}),
      ...(this.#epoch === undefined ? {} : { epoch: this.#epoch }),
      ...(this.#isVisible ? {} : { hidden: true }),
      ...(this.#wantedHistory === 'all' ? {} : { history: this.#wantedHistory }),
      ...(this.#size ?? {}),
    });
  }

  #hide(): void {
    this.#resume.left(this.#link.clock.now());
    this.#forgetReplay();
    this.#link.sendMessage({ type: 'hide_session', session: this.id });
  }

  /** What is on its way of a replay is not waited for any more. */
  #forgetReplay(): void {
    // Cut off in the middle of a snapshot, the screen shows something else than the cursor says.
    if (this.#snapshot !== undefined) this.#hasBeginning = false;
    this.#snapshot = undefined;
    this.#waiting = [];
    this.#replayEnd = undefined;
    this.#pacer.stop();
  }

  /** An agent that is away answers nothing about the session; its return asks again. */
  #refused({ code, message }: ServerMessageOf<'error'>): void {
    if (code !== 'agent_offline') this.#enter({ name: 'gone', code, why: message });
  }

  #reattached(info: SessionInfo, handle: number, inputOffset: number): void {
    this.#discarded = 0;
    // Another life of the agent: what was typed for the old one must not run in the new one. [IN4]
    if (this.#epoch !== undefined && this.#epoch !== info.epoch) {
      this.#discarded = this.#outbox.discard();
      this.#hasBeginning = false; // what is shown, and its offset, are the old one's
    }
    this.#epoch = info.epoch;
    this.#handle = handle;
    this.#isAsking = false;
    this.#stopForgetting();
    // Attached before by this very page (a closed tab brought back), the instance has typed already.
    if (!this.#hasMet) this.#outbox.begin(inputOffset);
    this.#hasMet = true;
    this.#outbox.resume(inputOffset);
    this.#sendInput();
    if (!this.#isVisible) this.#becomeLive(); // nothing to wait for
  }

  /** The program does not read, or the agent has lost count: ask where it is, a moment later, and go on from there. */
  #inputRefused(): void {
    this.#retryInput ??= this.#link.clock.after(INPUT_RETRY_MS, () => {
      this.#retryInput = undefined;
      if (this.#handle !== undefined) this.attach();
    });
  }

  #forgetTyped(): void {
    this.#forgetLater = undefined;
    this.#discarded += this.#outbox.discardWaiting();
    this.#changed();
  }

  #stopForgetting(): void {
    this.#forgetLater?.();
    this.#forgetLater = undefined;
  }

  #replayBegins(message: ServerMessageOf<'scrollback'>): void {
    const { kind, from, to, lost, cols, rows, bytes, history = false } = message;
    // What nobody looks at any more was on its way when it was hidden; it is asked for again.
    if (!this.#isVisible) return;
    if (!history) {
      const missedBytes = this.#hasBeginning ? Math.max(0, to - this.#cursor.next) : 0;
      this.#resume.announced({ missedBytes, lostBytes: lost, by: kind });
      this.#lost = lost;
    }
    this.#hasBeginning = true;
    this.#replayEnd = to;
    this.#pacer.restart(from);
    if (kind === 'snapshot') {
      this.#snapshot = new IncomingSnapshot(bytes, from, { cols, rows });
      if (bytes === 0) void this.#showSnapshot(this.#snapshot);
      return;
    }
    if (from !== this.#cursor.next) {
      this.#screen.reset({ kind, offset: from, lost });
      this.#cursor.jump(from);
    }
    // Another client may have chosen the size, or ours was set before we were subscribed to hear of it.
    this.#screen.resize({ cols, rows });
    this.#settle();
  }

  /** Unpacking takes a moment; a reconnect meanwhile makes it obsolete. [OU8] */
  async #showSnapshot(snapshot: IncomingSnapshot): Promise<void> {
    const screen = await this.#link.inflate(snapshot.bytes);
    if (this.#snapshot !== snapshot) return;
    this.#screen.reset({ kind: 'snapshot', offset: snapshot.from, lost: this.#lost });
    this.#screen.resize(snapshot.size);
    this.#screen.write(screen, () => {});
    this.#cursor.jump(snapshot.from);
    this.#snapshot = undefined;
    for (const frame of this.#waiting.splice(0)) this.receiveFrame(frame);
    this.#settle();
  }

  #show(frame: Frame): void {
    if (frame.kind === 'resize') this.#screen.resize(decodeSize(frame.payload));
    else if (frame.kind === 'output') this.#output(frame);
  }

  #output({ offset, payload, wantsAck = false }: Frame): void {
    const judgement = this.#cursor.accept(offset, payload);
    if (judgement.kind === 'hole') return this.attach();
    if (judgement.kind === 'known') return;
    const end = this.#cursor.next;
    this.#screen.write(judgement.bytes, () => {
      if (this.#handle !== undefined) this.#pacer.shown(end, wantsAck);
    });
    this.#settle();
  }

  /** Live once the replay is in; exited once the last byte is. */
  #settle(): void {
    if (this.#snapshot !== undefined || this.#replayEnd === undefined || this.#cursor.next < this.#replayEnd)
      return;
    const { last } = this.#resume;
    this.#resume.caughtUp(this.#link.clock.now());
    // Shown again, it was live all the time; that it has caught up is news all the same.
    if (this.#resume.last !== last && this.#state.name === 'live') this.#changed();
    const exit = this.#exit;
    if (exit !== undefined && this.#cursor.next >= exit.offset) {
      this.#enter({ name: 'exited', exitCode: exit.exitCode, signal: exit.signal });
    } else {
      this.#becomeLive();
    }
  }

  #becomeLive(): void {
    if (this.#state.name !== 'attaching') return;
    this.#hasBeenLive = true;
    this.#enter({ name: 'live' });
  }

  /** What was on its way when it was shown again is no news. */
  #noticed(bell: boolean): void {
    if (this.#isVisible) return;
    this.#unseen = bell ? 'bell' : this.#unseen === 'bell' ? 'bell' : 'output';
    this.#changed();
  }

  #sendInput(): void {
    if (this.#handle === undefined) return;
    for (const { offset, bytes } of this.#outbox.take()) {
      this.#timed ??= { offset: offset + bytes.length, at: this.#link.clock.now() };
      this.#link.sendFrame(encodeFrame({ kind: 'input', channel: 0, handle: this.#handle, offset }, bytes));
    }
  }

  #timeAnswer(offset: number): void {
    if (this.#timed === undefined || offset < this.#timed.offset) return;
    this.#link.agentAnswered(this.#link.clock.now() - this.#timed.at);
    this.#timed = undefined;
  }

  #sendAck(offset: number): void {
    if (this.#handle === undefined) return;
    this.#link.sendFrame(encodeFrame({ kind: 'ack', channel: 0, handle: this.#handle, offset }));
  }

  #enter(next: SessionState): void {
    this.#state = next;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
    this.#link.stateChanged(this);
  }
}
