/**
 * Who follows a session's output, who has fallen behind, and whether the program must wait. Rules OU5, OU9, OU10, OU13.
 *
 *              replay sent          no room, and others have some, or it may not set the pace
 *   joining ───────────────► following ──────────────────────────────────────► lagging
 *                                ▲                                                │
 *                                └───────────── returning ◄───────────────────────┘
 *                                 replay sent               its window is half empty again
 *
 * From each of them to `hidden` when nobody looks at it; it joins anew when somebody does.
 *
 * The program is paced by the fastest of those who may set the pace: an operator that looks and acknowledges.
 * Everybody else who does not keep up is let go and brought back later, also when it is the only one. Nobody
 * waits for nobody.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Attachment } from './attachment.ts';
import type { CreditWindow } from './credit-window.ts';
import { DeliveryState, STALLED_AFTER_MS } from './delivery-state.ts';
import { frameMaxBytes, paceOf } from './pace.ts';

/** Who has no room for a frame and owes nothing is brought back this much later: four screens a second are a picture. */
export const RETURN_AFTER_MS = 250;

export interface AudienceEvents {
  /** `viewer` is to be told no more output. */
  lagging(viewer: Attachment): void;
  /** `viewer` may be brought up to date; it has everything below `has`. */
  relieved(viewer: Attachment, has: number): void;
  /** Something was printed, or the bell rang, that `viewer` does not see. Once each, until it looks. */
  unseen(viewer: Attachment, what: { readonly bell: boolean }): void;
  /** Whether the program must wait, and the most to send in one frame. */
  paced(isBlocked: boolean, frameMaxBytes: number): void;
}

/** A screen that a viewer was sent, and the handle of its session. */
interface SentScreen {
  readonly bytes: number;
  readonly handle: number;
}

export class Audience {
  readonly #clock: Clock;
  readonly #windowOf: (viewer: Attachment) => CreditWindow;
  readonly #events: AudienceEvents;
  readonly #deliveries = new Map<number, DeliveryState>();
  /** Of those who are brought back by the clock: how to stop that. */
  readonly #returns = new Map<DeliveryState, Cancel>();
  #look: Cancel | undefined;
  /** What was asked of the viewers with the frame that is being sent. */
  #isAsking = false;

  constructor(clock: Clock, windowOf: (viewer: Attachment) => CreditWindow, events: AudienceEvents) {
    this.#clock = clock;
    this.#windowOf = windowOf;
    this.#events = events;
  }

  get size(): number {
    return this.#deliveries.size;
  }

  /** How many of them may type. */
  get operators(): number {
    let count = 0;
    for (const { viewer } of this.#deliveries.values()) if (viewer.role === 'operator') count++;
    return count;
  }

  /** Whether anybody is to be told what is printed. */
  get isFollowed(): boolean {
    for (const { state } of this.#deliveries.values()) if (state === 'following') return true;
    return false;
  }

  /** Whether anybody has yet to acknowledge something. */
  get isOwed(): boolean {
    return [...this.#deliveries.values()].some(({ owesSince }) => owesSince !== null);
  }

  viewer(channel: number): Attachment | undefined {
    return this.#deliveries.get(channel)?.viewer;
  }

  /** Whether it waits for a replay: it may have left, attached anew or been hidden since it was asked for. */
  isDue(viewer: Attachment): boolean {
    const delivery = this.#deliveries.get(viewer.channel);
    return delivery?.viewer === viewer && (delivery.state === 'joining' || delivery.state === 'returning');
  }

  /** Whether it follows with room to spare. */
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

  /** Those of them who look. */
  watching(): number[] {
    return [...this.#deliveries].flatMap(([channel, { state }]) => (state === 'hidden' ? [] : [channel]));
  }

  /** How much may be on its way to a viewer. */
  roomOf(viewer: Attachment): number {
    return this.#windowOf(viewer).limitBytes;
  }

  /** Whether a replay of `bytes` in all may be sent to a viewer now; otherwise it is tried again later. [OU9] */
  admits(viewer: Attachment, bytes: number): boolean {
    return this.#windowOf(viewer).admits(bytes, this.#clock.now());
  }

  /** A viewer that is still to be shown what it missed. */
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
    this.#judge();
    return true;
  }

  /** Nobody looks: it is told that something happened, not what. */
  hide(channel: number): void {
    const delivery = this.#deliveries.get(channel);
    if (delivery === undefined) return;
    delivery.abandon();
    delivery.state = 'hidden';
    this.#judge();
  }

  /** Something was printed, or the bell rang: for those who do not see it. */
  mark(what: 'output' | 'bell'): void {
    for (const { state, viewer, marked } of this.#deliveries.values()) {
      if (state !== 'hidden' || marked[what]) continue;
      marked[what] = true;
      this.#events.unseen(viewer, { bell: what === 'bell' });
    }
  }

  /**
   * `bytes` are about to be told to those who follow. Lets go whoever has no room for them, and says whether the
   * rest are to acknowledge them at once.
   */
  offer(bytes: number): { readonly wantsAck: boolean } {
    const following = this.#following();
    const { pacers, fastest, isBlocked } = paceOf(following, this.#clock.now());
    for (const delivery of following) {
      if (delivery === fastest || (isBlocked && pacers.includes(delivery)) || delivery.fits(bytes)) continue;
      delivery.state = 'lagging';
      this.#events.lagging(delivery.viewer);
      if (delivery.mayReturn) this.#returnLater(delivery);
    }
    // Each of them counts what it was not asked for, so all are asked whether they want to.
    this.#isAsking = false;
    for (const { state, window } of following)
      if (state === 'following' && window.asksWith(bytes)) this.#isAsking = true;
    return { wantsAck: this.#isAsking };
  }

  /** Output up to `end` was told to everybody who follows. */
  told(end: number): void {
    const now = this.#clock.now();
    for (const delivery of this.#following()) delivery.send(end, now, this.#isAsking);
    this.#judge();
  }

  /**
   * It was sent the screen at `from`, if there is one, and everything from `from` to `to`, and is told what comes; if not
   * live, once it has acknowledged that.
   */
  follow(channel: number, from: number, to: number, isLive = true, screen?: SentScreen): void {
    const delivery = this.#deliveries.get(channel);
    if (delivery === undefined) return;
    delivery.window.replaying((screen?.bytes ?? 0) + to - from, this.#clock.now());
    delivery.goOnAt(from);
    if (screen !== undefined)
      delivery.window.sentSnapshot(screen.bytes, { handle: screen.handle, offset: from });
    delivery.state = isLive ? 'following' : 'lagging';
    this.#isAsking = true; // the last frame of a replay asks: the path is learnt from it
    delivery.send(to, this.#clock.now(), this.#isAsking);
    this.#judge();
  }

  /** False when that says nothing new of the output: it may be meant for a snapshot. */
  acknowledge(channel: number, offset: number): boolean {
    const delivery = this.#deliveries.get(channel);
    if (delivery?.acknowledge(offset, this.#clock.now()) !== true) return false;
    if (delivery.state === 'lagging' && delivery.mayReturn) this.#bringBack(delivery);
    this.#judge();
    return true;
  }

  /** The session is gone; what is on its way to its viewers is not. */
  stop(): void {
    this.#stopLooking();
    for (const delivery of this.#deliveries.values()) delivery.abandon();
    for (const cancel of this.#returns.values()) cancel();
    this.#returns.clear();
  }

  /** Let go with little or nothing to acknowledge, because a frame was more than its window: no answer brings it back. */
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

  #judge(): void {
    const following = this.#following();
    const pace = paceOf(following, this.#clock.now());
    this.#events.paced(pace.isBlocked, frameMaxBytes(following, pace));
    this.#lookAgain(pace.isBlocked ? pace.pacers : []);
  }

  /** A program that waits is looked at again when the last of its pacers may be taken for stalled. */
  #lookAgain(pacers: readonly DeliveryState[]): void {
    this.#stopLooking();
    if (pacers.length === 0) return;
    const owed = pacers.map(({ owesSince }) => owesSince ?? this.#clock.now());
    const wait = Math.max(1, Math.min(...owed) + STALLED_AFTER_MS - this.#clock.now());
    this.#look = this.#clock.after(wait, () => this.#judge());
  }

  #stopLooking(): void {
    this.#look?.();
    this.#look = undefined;
  }
}
