/**
 * What passes between this client and the agent about one session: it attaches, brings output to the screen, sends what
 * is typed, and repeats all of it after every reconnect.
 *
 *   attaching ───────► live ───────► exited
 *      ▲   │ refused     │
 *      │   └─► gone      │ connection or agent lost
 *      └─────────────────┘
 *
 * `AttachmentState` is a second state, because the two change independently: a live session asks again when it is shown
 * again, and one that has exited attaches again after a reconnect.
 */
import { Refusal } from '../protocol/errors.ts';
import { encodeFrame, type Frame, type Size } from '../protocol/frame.ts';
import type { ServerMessage, ServerMessageOf } from '../protocol/messages/server-message.ts';
import {
  AttachedSession,
  type AttachOptions,
  descriptionOf,
  type SessionReport,
} from './attached-session.ts';
import type { SessionChange } from './client-change.ts';
import { ClientInput } from './client-input.ts';
import { ClientOutput } from './client-output.ts';
import type { Screen } from './screen.ts';
import type { SessionLink } from './session-link.ts';
import { type AttachmentState, handleOf, isAwaited, type SessionState } from './session-state.ts';
import { type Describing, SessionWindow } from './session-window.ts';

export class SessionExchange {
  readonly id: string;
  readonly window: SessionWindow;
  readonly output: ClientOutput;
  readonly input: ClientInput;
  /** The session as the user of the library sees it. */
  readonly session: AttachedSession;
  readonly #link: SessionLink;
  readonly #wantedHistory: 'all' | 'none' | 'later';
  readonly #script: { isScript?: true; holder?: string };
  readonly #listeners = new Set<(change: SessionChange) => void>();
  #state: SessionState = { name: 'attaching' };
  #attachment: AttachmentState = { name: 'detached' };
  #report: SessionReport;

  /** `size` is that of the client's window; a client without one never decides the terminal's size. */
  constructor(id: string, size: Size | null, screen: Screen, link: SessionLink, options: AttachOptions) {
    const { isNew = false, isVisible = true, isDescribed = false, resume, history = 'all' } = options;
    this.id = id;
    this.#link = link;
    this.#wantedHistory = history;
    const { isScript = false, holder } = options;
    this.#script = isScript ? { isScript, ...(holder === undefined ? {} : { holder }) } : {};
    const nothing = { description: null, isDriver: false, exit: null, hadEnded: false, inputRefusal: null };
    this.#report = { epoch: resume?.epoch, ...nothing };
    const isAttached = () => this.handle !== undefined;
    this.window = new SessionWindow({ session: id, size, isVisible, isDescribed, link, isAttached });
    const outputOwner = {
      isAttached,
      isListening: () => this.#isListening,
      acknowledge: (offset: number) => {
        const { handle } = this;
        if (handle !== undefined) link.sendFrame(encodeFrame({ kind: 'ack', channel: 0, handle, offset }));
      },
      missed: () => this.attach(),
      caughtUp: (isNews: boolean) => this.#caughtUp(isNews),
      fellBehind: () => this.window.hide(),
      keptUp: () => this.#keptUp(),
    };
    this.output = new ClientOutput(screen, link, outputOwner, resume?.offset ?? (isNew ? 0 : undefined));
    this.input = new ClientInput(link, {
      handle: () => this.handle,
      changed: (change) => this.#changed(change),
      askAgain: () => this.attach(),
    });
    this.session = new AttachedSession(this);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The session's number in data frames, while attached. */
  get handle(): number | undefined {
    return handleOf(this.#attachment);
  }

  get report(): SessionReport {
    return this.#report;
  }

  onChange(listener: (change: SessionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ── Called for the user ──────────────────────────────────────────────────────────────────────────

  setVisible(isVisible: boolean, isDescribed: Describing = this.window.isDescribed): void {
    const wasDescribed = this.window.isDescribed;
    this.window.setDescribed(isDescribed);
    if (isVisible === this.window.isVisible) {
      if (isDescribed !== wasDescribed) this.#describedChanged();
      return;
    }
    this.window.setVisible(isVisible);
    if (this.#state.name !== 'exited') {
      // The pending attach request has the old visibility, so its answer would not fit.
      if (isAwaited(this.#attachment) || (isVisible && this.handle !== undefined)) this.#ask();
      else if (this.handle !== undefined) {
        this.output.left(this.#link.clock.now());
        this.output.forgetReplay();
        this.window.hide();
      }
    }
    this.#changed('session');
  }

  /** Something else was drawn over the screen: requests all of it again, now or with the next attach. */
  redraw(): void {
    this.output.startAnew();
    if (this.handle !== undefined && this.window.isVisible && this.#state.name !== 'exited') this.#ask();
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
    if (this.handle !== undefined) this.output.left(since);
    this.#join({ name: 'detached' });
    this.input.cutOff();
    this.output.forgetReplay();
    if (this.#state.name === 'live') this.#enter({ name: 'attaching' });
  }

  /** This client's colours have changed. While it is the driver, programs that query colours get the new ones. */
  recolour(): void {
    this.window.recolour();
  }

  receive(message: ServerMessage): void {
    switch (message.type) {
      case 'session_reattached':
        if (this.#isAnswer(message.request)) this.#reattached(message);
        return;
      case 'scrollback':
        // Ignore a replay sent before the last request, or before hiding. What was requested since comes later.
        if (this.handle !== undefined && this.#isListening) this.output.replayBegins(message);
        return;
      case 'session_activity':
        if (this.window.noticed(message.bell)) this.#changed('session');
        return;
      case 'session_described':
        return this.#learn({ description: descriptionOf(message) });
      case 'session_driver':
        return this.#learn({ isDriver: message.yours });
      case 'session_exited':
        return this.#exited(message);
      case 'session_closed':
        return this.#enter({ name: 'gone', code: 'session_missing', why: 'This session was closed.' });
      case 'error':
        return this.#refused(message);
      default:
        return;
    }
  }

  receiveFrame(frame: Frame): void {
    if (frame.kind === 'ack') this.input.acknowledged(frame.offset);
    else {
      if (this.window.misses(frame, this.output.next)) this.#changed('session');
      this.output.receive(frame);
    }
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  /** Whether arriving output belongs to the last request, and somebody looks. */
  get #isListening(): boolean {
    return !isAwaited(this.#attachment) && this.window.isVisible;
  }

  #isAnswer(request: string | undefined): boolean {
    return this.#attachment.name === 'asking' && this.#attachment.request === request;
  }

  #ask(): void {
    const { handle } = this;
    this.output.forgetReplay();
    this.output.asked();
    // Every answer adds output to show: reconnecting all night would accumulate a window each time. [RL23]
    if (this.output.isBehind) return this.#join({ name: 'postponed', handle });
    const request = this.#link.newRequest();
    this.#join({ name: 'asking', request, handle });
    const { epoch } = this.#report;
    const from = this.output.resumesFrom;
    this.#link.sendMessage({
      type: 'reattach_session',
      answersReadChecks: true,
      request,
      session: this.id,
      instance: this.#link.instance,
      typed: this.input.taken,
      exited: 'read',
      ...(from === undefined ? {} : { from }),
      ...(epoch === undefined ? {} : { epoch }),
      ...(this.#wantedHistory === 'all' ? {} : { history: this.#wantedHistory }),
      ...(this.#link.asksPeople ? { people: true } : {}),
      ...this.#script,
      ...this.window.terms(),
    });
  }

  /** The screen has room again. Attaches if the agent was asked to stop, or if attaching was postponed. */
  #keptUp(): void {
    const { name } = this.#attachment;
    const isStopped = name === 'attached' && this.window.isVisible;
    if (this.#state.name !== 'gone' && (isStopped || name === 'postponed')) this.#ask();
  }

  #describedChanged(): void {
    if (this.#state.name === 'exited') return;
    if (isAwaited(this.#attachment)) this.#ask();
    else if (this.handle !== undefined && !this.window.isVisible) this.window.hide();
  }

  #refused({ code, message, request }: ServerMessageOf<'error'>): void {
    if (!this.#isAnswer(request)) {
      if (code === 'input_backlog' || code === 'input_hole') this.input.refused();
      if (code === 'keyboard_busy') this.#learn({ inputRefusal: new Refusal(code, message) });
      return;
    }
    // Without an agent this says nothing about the session. When the agent returns, the client asks again.
    if (code !== 'agent_offline') this.#enter({ name: 'gone', code, why: message });
  }

  #reattached(message: ServerMessageOf<'session_reattached'>): void {
    const { session, handle, inputOffset, marksNonce = null } = message;
    const { epoch, status } = session;
    const isOtherLife = this.#report.epoch !== undefined && this.#report.epoch !== epoch;
    if (isOtherLife) this.output.programReplaced();
    this.output.expectMarks(marksNonce);
    this.#join({ name: 'attached', handle });
    this.#learn({ epoch, hadEnded: status === 'exited', description: descriptionOf(session) });
    this.input.met(inputOffset, isOtherLife);
    this.window.recolourIfUntold();
    if (!this.window.isVisible) this.#becomeLive(); // no replay to wait for
  }

  #exited({ offset, exitCode, signal }: ServerMessageOf<'session_exited'>): void {
    this.#report = { ...this.#report, exit: { offset, exitCode, signal } };
    this.output.settle();
    this.#changed('session'); // also while hidden, when no output arrives
  }

  /** Becomes live once the replay is received, or exited once the last byte is. */
  #caughtUp(isNews: boolean): void {
    // A session that is shown again was live all along, but listeners must learn that it has caught up.
    if (isNews && this.#state.name === 'live') this.#changed('session');
    const { exit } = this.#report;
    if (exit !== null && this.output.next >= exit.offset) {
      this.#enter({ name: 'exited', exitCode: exit.exitCode, signal: exit.signal });
    } else {
      this.#becomeLive();
    }
  }

  #becomeLive(): void {
    if (this.#state.name !== 'attaching') return;
    this.input.becameLive();
    this.#enter({ name: 'live' });
  }

  #join(next: AttachmentState): void {
    this.#attachment = next;
  }

  #learn(news: Partial<SessionReport>): void {
    this.#report = { ...this.#report, ...news };
    this.#changed('session');
  }

  #enter(next: SessionState): void {
    this.#state = next;
    this.#changed('session');
    if (next.name === 'gone' || next.name === 'exited') this.input.ended();
  }

  #changed(change: SessionChange): void {
    for (const listener of this.#listeners) listener(change);
    this.#link.stateChanged(this.id);
  }
}
