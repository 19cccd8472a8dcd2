/**
 * Tracks the attachments of one session: which ones receive live output, which ones lag, and whether the program must
 * wait. Rules OU5, OU9, OU10, OU13.
 *
 *              replay sent          no room, and others have some, or it may not set the pace
 *   joining ───────────────► following ──────────────────────────────────────► lagging
 *                                ▲                                                │
 *                                └───────────── returning ◄───────────────────────┘
 *                                 replay sent               its window is half empty again
 *
 * Every state leads to `hidden` when nobody looks at the client; it joins again when somebody does.
 *
 * The program runs at the speed of the fastest attachment that may set the pace: a visible operator that acknowledges.
 * Every other attachment that falls behind stops receiving output and catches up later, even if it is the only one. A
 * session without a pacer never waits.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Attachment } from './attachment.ts';
import type { CreditWindow } from './credit-window.ts';
import { DeliveryState } from './delivery-state.ts';
import { type Paced, ProgramPace, paceOf } from './pace.ts';

/**
 * An attachment that lags with nothing left to acknowledge resumes after this time: four screens per second look live.
 */
export const RETURN_AFTER_MS = 250;

/** What becomes of a session's output. The link implements this once for each session. */
export interface LiveOutputEvents {
  /** Send to every follower. `wantsAck`: clients must acknowledge this frame at once. */
  output(offset: number, bytes: Uint8Array, wantsAck: boolean): void;
  /** `viewer` gets no more output until it resumes. */
  lagging(viewer: Attachment): void;
  /** `viewer` can resume; it has everything below `has`. */
  relieved(viewer: Attachment, has: number): void;
  /** Output or a bell happened that the hidden `viewer` does not see. Reported once each until it is shown again. */
  unseen(viewer: Attachment, what: { readonly bell: boolean }): void;
}

/** A snapshot that was sent to a viewer, and the handle of its session. */
interface SentScreen {
  readonly bytes: number;
  readonly handle: number;
}

export class Audience {
  readonly #clock: Clock;
  readonly #windowOf: (viewer: Attachment) => CreditWindow;
  readonly #events: LiveOutputEvents;
  readonly #pace: ProgramPace;
  readonly #deliveries = new Map<number, DeliveryState>();
  /** Timers of the attachments that resume after RETURN_AFTER_MS. */
  readonly #returns = new Map<DeliveryState, Cancel>();

  constructor(
    clock: Clock,
    windowOf: (viewer: Attachment) => CreditWindow,
    events: LiveOutputEvents,
    paced: Paced,
  ) {
    this.#clock = clock;
    this.#windowOf = windowOf;
    this.#events = events;
    this.#pace = new ProgramPace(clock, () => this.#following(), paced);
  }

  get size(): number {
    return this.#deliveries.size;
  }

  /** How many attachments may type. */
  get operators(): number {
    let count = 0;
    for (const { viewer } of this.#deliveries.values()) if (viewer.role === 'operator') count++;
    return count;
  }

  /** Whether any attachment has output left to acknowledge. */
  get isOwed(): boolean {
    return [...this.#deliveries.values()].some(({ owesSince }) => owesSince !== null);
  }

  viewer(channel: number): Attachment | undefined {
    return this.#deliveries.get(channel)?.viewer;
  }

  /**
   * Whether it still waits for a replay: it may have left, attached again or been hidden since the replay was
   * requested.
   */
  isDue(viewer: Attachment): boolean {
    const delivery = this.#deliveries.get(viewer.channel);
    return delivery?.viewer === viewer && (delivery.state === 'joining' || delivery.state === 'returning');
  }

  /** Whether it follows and at most half of its window is used. */
  isCalm(viewer: Attachment): boolean {
    return this.isFollowing(viewer) && this.#windowOf(viewer).isRelieved;
  }

  isFollowing(viewer: Attachment): boolean {
    const delivery = this.#deliveries.get(viewer.channel);
    return delivery?.viewer === viewer && delivery.state === 'following';
  }

  channels(): number[] {
    return [...this.#deliveries.keys()];
  }

  /** The channels that are not hidden. */
  watching(): number[] {
    return [...this.#deliveries].flatMap(([channel, { state }]) => (state === 'hidden' ? [] : [channel]));
  }

  /** How many bytes may be in flight to a viewer. */
  roomOf(viewer: Attachment): number {
    return this.#windowOf(viewer).limitBytes;
  }

  /** Whether a replay of `bytes` in total may be sent now; if not, the caller retries later. [OU9] */
  admits(viewer: Attachment, bytes: number): boolean {
    return this.#windowOf(viewer).admits(bytes, this.#clock.now());
  }

  /** Adds a viewer that has yet to get its replay. */
  join(viewer: Attachment): void {
    this.leave(viewer.channel);
    this.#deliveries.set(viewer.channel, new DeliveryState(viewer, this.#windowOf(viewer)));
  }

  leave(channel: number): boolean {
    const delivery = this.#deliveries.get(channel);
    if (delivery === undefined) return false;
    this.#deliveries.delete(channel);
    this.#returns.get(delivery)?.();
    this.#returns.delete(delivery);
    delivery.abandon();
    this.#pace.judge();
    return true;
  }

  /** Nobody looks at this client: it learns that something happened, but gets no output. */
  hide(channel: number): void {
    const delivery = this.#deliveries.get(channel);
    if (delivery === undefined) return;
    delivery.abandon();
    delivery.state = 'hidden';
    this.#pace.judge();
  }

  /** Tells hidden attachments that something was printed or that the bell rang. */
  mark(what: 'output' | 'bell'): void {
    for (const { state, viewer, marked } of this.#deliveries.values()) {
      if (state !== 'hidden' || marked[what]) continue;
      marked[what] = true;
      this.#events.unseen(viewer, { bell: what === 'bell' });
    }
  }

  /**
   * Sends `bytes`, which were printed at `offset`, to the followers. Those without room for them start lagging instead;
   * hidden attachments are told that there is output.
   */
  deliver(offset: number, bytes: Uint8Array): void {
    this.mark('output');
    const now = this.#clock.now();
    const followers = this.#keepingUp(bytes.length, now);
    if (followers.length === 0) return;
    // `asksWith` counts the bytes sent since the last request, so it must be called on every window.
    let wantsAck = false;
    for (const { window } of followers) if (window.asksWith(bytes.length)) wantsAck = true;
    this.#events.output(offset, bytes, wantsAck);
    for (const delivery of followers) delivery.send(offset + bytes.length, now, wantsAck);
    this.#pace.judge(followers, now);
  }

  /**
   * The client was sent the screen at `from`, if there is one, and all output from `from` to `to`. Live output follows
   * at once if `isLive`, otherwise after the client has acknowledged this.
   */
  follow(channel: number, from: number, to: number, isLive = true, screen?: SentScreen): void {
    const delivery = this.#deliveries.get(channel);
    if (delivery === undefined) return;
    delivery.window.replaying((screen?.bytes ?? 0) + to - from, this.#clock.now());
    delivery.goOnAt(from);
    if (screen !== undefined)
      delivery.window.sentSnapshot(screen.bytes, { handle: screen.handle, offset: from });
    delivery.state = isLive ? 'following' : 'lagging';
    // The last frame of a replay asks for an acknowledgement, which measures the path.
    delivery.send(to, this.#clock.now(), true);
    this.#pace.judge();
  }

  /** False if this acknowledges no new output: it may be meant for a snapshot. */
  acknowledge(channel: number, offset: number): boolean {
    const delivery = this.#deliveries.get(channel);
    if (delivery?.acknowledge(offset, this.#clock.now()) !== true) return false;
    if (delivery.state === 'lagging' && delivery.mayReturn) this.#bringBack(delivery);
    this.#pace.judge();
    return true;
  }

  /** The session is gone. Bytes in flight to its clients still count in their windows. */
  stop(): void {
    this.#pace.stop();
    for (const delivery of this.#deliveries.values()) delivery.abandon();
    for (const cancel of this.#returns.values()) cancel();
    this.#returns.clear();
  }

  /** The frame was larger than its window and it owes little or nothing, so no acknowledgement will make it resume. */
  #returnLater(delivery: DeliveryState): void {
    this.#returns.get(delivery)?.();
    const cancel = this.#clock.after(RETURN_AFTER_MS, () => {
      this.#returns.delete(delivery);
      if (delivery.state === 'lagging') this.#bringBack(delivery);
    });
    this.#returns.set(delivery, cancel);
  }

  #bringBack(delivery: DeliveryState): void {
    delivery.state = 'returning';
    this.#events.relieved(delivery.viewer, delivery.sent);
  }

  #following(): DeliveryState[] {
    const following: DeliveryState[] = [];
    for (const delivery of this.#deliveries.values())
      if (delivery.state === 'following') following.push(delivery);
    return following;
  }

  /** The followers that are sent a frame of `bytes`; the others start lagging. */
  #keepingUp(bytes: number, now: number): DeliveryState[] {
    const following = this.#following();
    if (following.length === 0) return following;
    const { pacers, fastest, isBlocked } = paceOf(following, now);
    let isComplete = true;
    for (const delivery of following) {
      if (delivery === fastest || (isBlocked && pacers.includes(delivery)) || delivery.fits(bytes)) continue;
      isComplete = false;
      delivery.state = 'lagging';
      this.#events.lagging(delivery.viewer);
      if (delivery.mayReturn) this.#returnLater(delivery);
    }
    return isComplete ? following : this.#following();
  }
}
