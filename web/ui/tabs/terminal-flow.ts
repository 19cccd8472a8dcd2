/**
 * The state machine of one tab: how it gets to show a session, and what happens when that session ends.
 *
 *   waiting ─────────────► attached ──────────► ended
 *      │  ▲  reattach       ▲   │  exited, closed  │
 *      │  └─────────────────┼───┘                  │ newShell(), or the agent
 *      │    session missing │ created              │ has restarted
 *      └─────────────► creating ◄──────────────────┘
 *        create         │    └─► failed: asking again would end the same way
 *                       └─► waiting: connection or agent lost
 *
 * It needs three things to start: a plan from the tabs, a screen to show the session on, and an agent that is online.
 */

import type { AttachedSession } from '../../../client/attached-session.ts';
import type { SessionChange } from '../../../client/client-change.ts';
import { endReasonText } from '../../../client/end-reason.ts';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { Refusal } from '../../../protocol/errors.ts';
import type { Size } from '../../../protocol/frame.ts';
import type { EndReason, SessionInfo } from '../../../protocol/messages/session-info.ts';
import { isEnter } from '../../../protocol/terminal/keyboard/encode-key.ts';
import type { SizedScreen } from '../terminal/size/sized-screen.ts';
import { exitSentence } from '../text/exit-sentence.ts';
import { undeliveredText } from '../text/unsent-text.ts';
import { FlowScreen } from './flow-screen.ts';
import {
  type Attached,
  afterLoss,
  type Creation,
  type FlowState,
  type Note,
  replacing,
} from './flow-state.ts';
import { KeptInput } from './kept-input.ts';
import type { Plan } from './match-tabs.ts';
import { ReplayProgress } from './replay-progress.ts';

interface FlowOptions {
  readonly client: WorkspaceClient;
  readonly name: () => string;
  /**
   * The tab is about to show this session. Returns false when another tab already shows it and this one is not needed.
   */
  readonly bound: (info: SessionInfo) => boolean;
  readonly changed: () => void;
  /** Looks up the rule that ended a session while the connection was lost; null when none did. */
  readonly whyEnded: (session: string) => Promise<EndReason | null>;
  /** Reports something the user should know, without interrupting. */
  readonly noted: (note: Note) => void;
  /** The program exited while attached. Returns true when the tab closes with it. */
  readonly exited: (exit: Exit) => boolean;
}

type Exit = NonNullable<AttachedSession['exit']>;

export class TerminalFlow {
  readonly #options: FlowOptions;
  readonly #catchUp = new ReplayProgress();
  readonly #kept = new KeptInput();
  readonly #onPage = new FlowScreen();
  /** Whether the tab had a session before. If so, it is reconnecting, not starting. */
  #returning: boolean;
  /** Whether the session was created for this tab. */
  #isOwn = false;
  #isVisible = false;
  #isDescribed: boolean | 'attention' = false;
  #state: FlowState = { name: 'waiting', plan: null };

  constructor(options: FlowOptions, returning: boolean) {
    this.#options = options;
    this.#returning = returning;
  }

  get state(): FlowState {
    return this.#state;
  }

  get returning(): boolean {
    return this.#returning;
  }

  get isOwn(): boolean {
    return this.#isOwn;
  }

  get session(): AttachedSession | null {
    return this.#state.name === 'attached' ? this.#state.session : null;
  }

  /** Whether the screen is parsing live output, not a replay. */
  get isHappening(): boolean {
    return this.#catchUp.isDone;
  }

  /** Only the driver reports focus to the program, and never during a replay. */
  get reportsFocus(): boolean {
    return this.#catchUp.isDone && this.session?.isDriver === true;
  }

  /** The plan that the tabs have made for this tab. It counts only while the flow is waiting. */
  follow(plan: Plan): void {
    if (this.#state.name !== 'waiting') return;
    this.#enter({ name: 'waiting', plan });
    this.look();
  }

  /** The tab now has a terminal on the page, with room for `size`. */
  showOn(screen: SizedScreen, size: Size): void {
    this.#onPage.mounted(screen, size);
    this.look();
  }

  /**
   * Sets whether the terminal is visible. A hidden session gets no output; when shown again, it catches up. [OU13]
   * `isDescribed`: at least the tab's label is visible, and with it the name of the running program; of a hidden page,
   * only that a session wants attention matters.
   */
  setVisible(isVisible: boolean, isDescribed: boolean | 'attention'): void {
    if (this.#isVisible !== isVisible) this.#catchUp.interrupted();
    this.#isVisible = isVisible;
    this.#isDescribed = isDescribed;
    this.session?.setVisible(isVisible, isDescribed);
  }

  /** The agent makes the client that types the driver. */
  type(bytes: Uint8Array): void {
    if (this.#state.name === 'attached') this.#state.session.type(bytes);
    else if (this.#state.name === 'waiting' || this.#state.name === 'creating') this.#kept.keep(bytes);
    else if (isEnter(new TextDecoder().decode(bytes))) this.newShell();
  }

  /** The window now has room for `size`. */
  fitted(size: Size): void {
    if (!this.#onPage.fitted(size)) return;
    this.session?.resize(size);
    // The size of a live terminal belongs to its program: it changes when the agent says so, in order with the output.
    if (this.session?.state.name !== 'live') this.#onPage.screen?.resize(size);
  }

  /** The user asks for another shell in place of one that ended or could not be created. */
  newShell(): void {
    if (this.#state.name === 'ended') void this.#replaceEnded(this.#state.info.id);
    if (this.#state.name === 'failed') void this.#create(replacing(this.#state.replaces), true);
  }

  /** The agent announces the rule right after the session has ended. The reason is more useful than the exit status. */
  closedBy(session: string, rule: EndReason): void {
    if (this.#state.name !== 'ended' || this.#state.info.id !== session) return;
    this.#enter({ ...this.#state, sentence: `The shell was ended: ${endReasonText(rule)}.` });
  }

  /** `abandon`: the tab is closed, so a session that is still being created is closed as well. */
  stop({ abandon = false } = {}): void {
    const { session } = this;
    this.#enter({ name: 'stopped', isAbandoned: abandon });
    if (session !== null) this.#options.client.detach(session.id);
  }

  /** Called when the connection or the agent may have changed. */
  look(): void {
    const state = this.#state;
    const { client } = this.#options;
    const agent = client.state.name === 'live' ? client.state.agent : null;
    if (state.name === 'attached') return this.#judge(state);
    if (agent?.state !== 'online' || this.#onPage.screen === null) return;
    if (state.name === 'waiting' && state.plan?.kind === 'reattach') this.#show(state.plan.info);
    if (state.name === 'waiting' && state.plan?.kind === 'create') void this.#create(state.plan);
    // An agent that stops ends its shells. When it is back, the user should not have to ask for a new one.
    const mayCreate = client.role !== 'viewer' && client.access.onlySession === null;
    if (state.name === 'ended' && state.info.epoch !== agent.epoch && mayCreate)
      void this.#create(replacing(state.info.id));
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  #sessionChanged(session: AttachedSession, change: SessionChange): void {
    // While a terminal is live and its program reads, nothing shows how much input is on its way.
    if (change === 'input' && session.state.name === 'live' && !session.isLate) return;
    this.look();
    this.#options.changed();
  }

  /** `replaces` makes it safe to ask twice: everyone who replaces the same session gets the same new one. [P20] */
  async #create(plan: Creation, isWanted = false): Promise<void> {
    this.#enter({ name: 'creating' });
    const { client, name } = this.#options;
    const { cwd, replaces } = plan;
    const where = cwd === undefined ? {} : { cwd };
    try {
      const created = await client.create({ name: name(), ...this.#onPage.size, ...where, replaces });
      await this.#onPage.parsed();
      const state = this.#state as FlowState;
      if (state.name === 'creating') {
        if (this.#returning && !isWanted) void this.#noteReplaced(plan);
        this.#isOwn = true;
        this.#show(created, created.id !== replaces);
      } else if (state.name === 'stopped' && state.isAbandoned) client.closeLater(created.id, 1);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.#state.name === 'creating') this.#refused(error, plan);
    }
  }

  /** A user who asks for a new shell is done with the old session, so it is closed if this window created it. */
  async #replaceEnded(session: string): Promise<void> {
    const isOwn = this.#isOwn;
    await this.#create(replacing(session), true);
    if (isOwn && this.#state.name === 'attached') this.#options.client.closeLater(session, 1);
  }

  /** The terminal does not wait for the reason. What was typed for the old shell must not run in the new one. [IN4] */
  async #noteReplaced({ endedBy, replaces }: Creation): Promise<void> {
    const { noted, whyEnded } = this.#options;
    const undelivered = this.#kept.takeUndelivered();
    noted({
      kind: 'replaced',
      endedBy: endedBy === undefined ? await whyEnded(replaces) : endedBy,
      undelivered,
    });
  }

  /** `isNew`: the session replaces the one on the screen, whose output stays above that of the new one. */
  #show(info: SessionInfo, isNew = false): void {
    const { screen, size } = this.#onPage;
    if (screen === null) throw new Error('invariant: a session is shown on a screen');
    if (!this.#options.bound(info)) return;
    this.#returning = true;
    const isBelow = this.#onPage.begin(screen, info.epoch, isNew);
    this.#catchUp.begin();
    const session = this.#options.client.attach(info.id, size, screen, {
      isVisible: this.#isVisible,
      isDescribed: this.#isDescribed,
      history: 'later',
      isNew: isBelow,
    });
    const stopListening = session.onChange((change) => this.#sessionChanged(session, change));
    this.#enter({ name: 'attached', info, session, seen: session.state.name, stopListening });
    session.type(this.#kept.takeEarly());
  }

  /** An offline agent comes back, and then the flow asks again; any other refusal is final. */
  #refused({ code, message }: Refusal, plan: Creation): void {
    if (code !== 'agent_offline')
      return this.#enter({ name: 'failed', sentence: message, replaces: plan.replaces });
    this.#enter({ name: 'waiting', plan });
    this.look();
  }

  #judge(attached: Attached): void {
    const { info, seen, session } = attached;
    const { state, exit } = session;
    if (exit !== null && !session.hadEnded && this.#options.exited(exit)) return;
    if (state.name === 'live') this.#judgeResume(session);
    if (state.name === seen) return;
    if (state.name === 'attaching') this.#catchUp.cut();
    else if (!this.#isVisible) this.#catchUp.cameBackUnseen();
    if (state.name !== 'live') this.#catchUp.interrupted();
    if (state.name === 'exited') {
      this.#leave(session, { name: 'ended', info, sentence: exitSentence(state.exitCode, state.signal) });
    } else if (state.name === 'gone') {
      this.#kept.lose(session.takeUndelivered());
      this.#kept.lose(session.unsent());
      this.#leave(session, afterLoss(attached, { code: state.code, message: state.why }));
      this.look();
    } else this.#enter({ ...attached, seen: state.name });
  }

  #judgeResume(session: AttachedSession): void {
    const resume = this.#catchUp.live(session.lastResume, this.#onPage.screen, () => this.#isVisible);
    if (resume === null) return;
    const undelivered = undeliveredText(session.takeUndelivered());
    this.#options.noted({ kind: 'resumed', resume, undelivered });
  }

  /** Sets the state first, because detaching may call back into the flow. */
  #leave(session: AttachedSession, next: FlowState): void {
    this.#enter(next);
    this.#options.client.detach(session.id);
  }

  #enter(next: FlowState): void {
    if (this.#state.name === 'attached' && next.name !== 'attached') this.#state.stopListening();
    this.#state = next;
    this.#options.changed();
  }
}
