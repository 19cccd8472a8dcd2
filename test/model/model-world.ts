/**
 * The real agent, relay and pages without sockets, processes or time: frames wait in queues until the test delivers
 * them, links are cut on request, and programs print and read on request.
 */

import type { WireFrame } from '../../protocol/connection.ts';
import { parseRelayMessage } from '../../protocol/messages/agent-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Life, startLife } from './model-life.ts';
import { ModelPage, PageSocket } from './model-page.ts';
import { AgentLink, ModelRelay } from './model-relay.ts';

/** `late`: on links that the agent has given up. */
type Leg = 'toAgent' | 'fromAgent' | 'toPage' | 'fromPage' | 'late';

export class ModelWorld {
  readonly clock = new FakeClock();
  readonly pages: ModelPage[];
  /** The last one is the present. */
  readonly lives: Life[] = [];
  readonly #historyBytes: number;
  /** How long a session without pages is kept; 0 for good. */
  readonly graceMs: number;
  /** Since when the agent knows that nobody watches its session. */
  #orphanedAt = 0;
  readonly #relay = new ModelRelay();
  /** The agent's own; undefined while it has none. */
  #link: AgentLink | undefined;
  /** Of earlier connections: what was said on them may still arrive. */
  #late: AgentLink[] = [];
  #printedCount = 0;

  constructor(roles: readonly ClientRole[], historyBytes: number, graceMs: number) {
    this.#historyBytes = historyBytes;
    this.graceMs = graceMs;
    this.#startAgent(null);
    this.pages = roles.map((role, i) => new ModelPage(i, this.clock, role));
  }

  get life(): Life {
    return this.lives.at(-1) as Life;
  }

  // ── Programs ─────────────────────────────────────────────────────────────────────────────────────

  /** Text that is different every time, so that a repetition cannot be mistaken for new output. */
  prints(length: number): void {
    const { life } = this;
    // A program that must wait prints nothing.
    if (life.pty.paused || life.hasExited) return;
    let text = '';
    while (text.length < length) text += `${(this.#printedCount++).toString(36)} `;
    life.printed += text;
    life.pty.prints(text);
  }

  exits(): void {
    if (this.life.hasExited) return;
    this.life.hasExited = true;
    this.life.pty.exits();
  }

  // ── The agent ────────────────────────────────────────────────────────────────────────────────────

  /** Dials; whether or not the relay has detected the end of the previous link, it gets nothing from it from now on. */
  linkAgent(): void {
    this.loseAgent();
    this.#link = new AgentLink();
    this.#relay.seatAgent(this.#link);
    this.life.agent.linkOpened();
    this.#orphanedAt = this.clock.now();
  }

  /** The agent detects that its link is gone; the relay does not, and receives what was in flight. */
  loseAgent(): void {
    if (this.#link === undefined) return;
    this.#late.push(this.#link);
    this.#link = undefined;
    this.life.agent.linkLost();
  }

  /** Both detect it, and what was in flight is lost. */
  cutAgent(): void {
    this.loseAgent();
    for (const link of this.#late.splice(0)) this.#relay.left(link);
  }

  /** The agent dies silently. Another starts with what was kept of the screen, or with nothing. */
  restartAgent(kept: number | null): void {
    this.loseAgent();
    this.#startAgent(kept);
  }

  #startAgent(kept: number | null): void {
    const { clock, graceMs, lives } = this;
    const life = startLife(
      { clock, graceMs, lives, kept, historyBytes: this.#historyBytes },
      (agent, frame) => {
        // An agent that has died sends nothing more, whatever its timers do here.
        if (lives.at(-1)?.agent === agent) this.#link?.up.push(frame);
      },
    );
    lives.push(life);
  }

  // ── Pages ────────────────────────────────────────────────────────────────────────────────────────

  connect(index: number): void {
    const page = this.#page(index);
    // It may have abandoned its socket by itself, without an answer.
    if (page.socket?.pair.closedByNear !== undefined) this.#abandoned(page);
    if (page.socket !== undefined) return;
    page.client.wake();
    if (page.network.latest.state !== 'dialing' || page.network.latest.closedByNear !== undefined) return;
    const socket = new PageSocket(page.network.latest);
    page.socket = socket;
    this.#relay.seatPage(socket, page.role);
    socket.pair.accept();
    if (page.seat === undefined) page.open(this.life.sessionId);
  }

  /** Both sides detect it. */
  cut(index: number): void {
    const page = this.#page(index);
    const { socket } = page;
    if (socket === undefined) return;
    page.socket = undefined;
    this.#relay.left(socket);
    if (socket.pair.state === 'open') socket.pair.close(1006);
  }

  /** The relay's object restarts: all its sockets end. */
  resetRelay(): void {
    this.cutAgent();
    for (const index of this.pages.keys()) this.cut(index);
  }

  /** The page detects it; the relay does not, and later receives what was sent before. */
  abandon(index: number): void {
    const page = this.#page(index);
    const pair = page.socket?.pair;
    this.#abandoned(page);
    if (pair?.state === 'open') pair.cut();
  }

  #abandoned(page: ModelPage): void {
    if (page.socket !== undefined) page.abandoned.push(page.socket);
    page.socket = undefined;
  }

  /** What a page said before it gave up a socket arrives. */
  hearLate(index: number): void {
    const [socket] = this.#page(index).abandoned;
    if (socket !== undefined) this.#relay.hearsPage(socket);
  }

  /** The relay detects that the client is gone. */
  forgetLate(index: number): void {
    const socket = this.#page(index).abandoned.shift();
    if (socket !== undefined) this.#relay.left(socket);
  }

  /** A user whose session is gone opens the existing one. */
  reopen(index: number): void {
    const page = this.#page(index);
    if (page.seat?.session.state.name === 'gone') page.open(this.life.sessionId);
  }

  wait(ms: number): void {
    // Each page checks its own changes; time passes once.
    const pass = this.pages.reduce<() => void>(
      (then, page) => () => page.waits(ms, then),
      () => this.clock.advance(ms),
    );
    pass();
    this.expectNotEnded();
  }

  // ── Delivery, a frame at a time ──────────────────────────────────────────────────────────────────

  hibernate(): void {
    this.#relay.hibernate();
  }

  deliverFromAgent(): void {
    if (this.#link !== undefined) this.#relay.hearsAgent(this.#link);
  }

  /** What was said on a link that the agent has given up. */
  deliverLateFromAgent(): void {
    for (const link of this.#late) this.#relay.hearsAgent(link);
  }

  deliverToAgent(): void {
    const frame = this.#link?.down.shift();
    if (frame === undefined) return;
    const { sessions } = this.life.agent;
    const wasWatched = sessions.counts().orphaned === 0;
    this.life.agent.received(frame);
    if (this.#isEnded) return this.#endedBy(frame);
    if (wasWatched && sessions.counts().orphaned > 0) this.#orphanedAt = this.clock.now();
  }

  /** Only the agent itself has ended the program, because its time was up. */
  get #isEnded(): boolean {
    return this.life.pty.signals.length > 0 && !this.life.hasExited;
  }

  /**
   * [AG2] [AG4] The agent ends what nobody has watched for the grace period, once the relay has confirmed that.
   * Another agent takes over.
   */
  #endedBy(frame: WireFrame): void {
    const message = typeof frame === 'string' ? parseRelayMessage(frame) : undefined;
    if (message?.type !== 'presence' || message.question === undefined)
      throw new Error('a session was ended without an answer');
    if (this.#relay.wasAttended(this.life.sessionId, message.question))
      throw new Error('a session was ended that somebody watches');
    if (this.clock.now() - this.#orphanedAt < this.graceMs) throw new Error('a session was ended too soon');
    this.life.hasExited = true;
    this.restartAgent(null);
  }

  /** [AG3] Time alone ends nothing, nor does a link that is made or lost. */
  expectNotEnded(): void {
    if (this.#isEnded) throw new Error('a session was ended, and nobody was asked');
  }

  deliverFromPage(index: number): void {
    const { socket } = this.#page(index);
    if (socket !== undefined) this.#relay.hearsPage(socket);
  }

  deliverToPage(index: number): void {
    const page = this.#page(index);
    const frame = page.socket?.inbound.shift();
    if (frame !== undefined) page.receives(frame);
  }

  /** A frame on each leg, in each direction. */
  deliverEverywhere(): void {
    this.deliverFromAgent();
    this.deliverToAgent();
    for (const index of this.pages.keys()) {
      this.deliverFromPage(index);
      this.deliverToPage(index);
    }
  }

  /** Promises (snapshots, inflating) are kept between two steps. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
  }

  /** Until nothing is in flight any more, including screens and snapshots. */
  async deliverEverything(): Promise<void> {
    do {
      this.life.screen.paint();
      for (const page of this.pages) page.unpack();
      await this.settle();
      while (this.#isAnythingOnItsWay()) this.deliverEverywhere();
      await this.settle();
    } while (this.#isAnythingOnItsWay());
  }

  /** The frames in flight on each leg, in order. */
  inFlight(index: number): Record<Leg, readonly WireFrame[]> {
    const { socket } = this.#page(index);
    return {
      toAgent: this.#link?.down ?? [],
      fromAgent: this.#link?.up ?? [],
      toPage: socket?.inbound ?? [],
      fromPage: socket?.unheard ?? [],
      late: this.#late.flatMap(({ up }) => up),
    };
  }

  get isLinked(): boolean {
    return this.#link !== undefined;
  }

  #isAnythingOnItsWay(): boolean {
    const agent = (this.#link?.up.length ?? 0) + (this.#link?.down.length ?? 0);
    return agent > 0 || this.pages.some(({ socket }) => socket?.hasSpoken || socket?.inbound.length);
  }

  #page(index: number): ModelPage {
    return this.pages[index] as ModelPage;
  }
}
