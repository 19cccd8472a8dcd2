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
import type { Cancel, Clock } from '../protocol/clock.ts';
import { ACK_QUIET_MS, PAYLOAD_MAX_BYTES } from '../protocol/limits.ts';
import type { ClientWindow } from './client-window.ts';
import type { Viewer } from './viewer.ts';

/** Who has owed an acknowledgement for this long is gone, asleep or stuck, and nobody waits for it. */
export const STALLED_AFTER_MS = 2_000;

/** What a session may have on its way whatever the client's window says: an echo must not queue behind another
 * session's flood. */
export const ALWAYS_ROOM_BYTES = 4096;

/** Who has no room for a frame and owes nothing is brought back this much later: four screens a second are a picture. */
export const RETURN_AFTER_MS = 250;

/** Times of sending are noted this far apart: fine enough for round trips, coarse enough for a flood. */
const MARK_EVERY_MS = 5;

/** A quarter of the smallest window: smaller frames would cost more than they are worth. */
const FRAME_MIN_BYTES = 2048;

interface Seat {
  readonly viewer: Viewer;
  readonly window: ClientWindow;
  state: 'joining' | 'following' | 'lagging' | 'returning' | 'hidden';
  /** What it was told of since it was hidden: that something was printed, that the bell rang. */
  readonly marked: { output: boolean; bell: boolean };
  sent: number;
  acknowledged: number;
  /** Since when it has owed an acknowledgement without giving any; null when it owes none. */
  owesSince: number | null;
  /** When output up to which offset was sent, and whether it was asked to acknowledge it; oldest first. */
  marks: Mark[];
}

interface Mark {
  readonly offset: number;
  readonly at: number;
  readonly isAsked: boolean;
}

export interface AudienceEvents {
  /** `viewer` is to be told no more output. */
  lagging(viewer: Viewer): void;
  /** `viewer` may be brought up to date; it has everything below `has`. */
  relieved(viewer: Viewer, has: number): void;
  /** Something was printed, or the bell rang, that `viewer` does not see. Once each, until it looks. */
  unseen(viewer: Viewer, what: { readonly bell: boolean }): void;
  /** Whether the program must wait, and the most to send in one frame. */
  paced(isBlocked: boolean, frameMaxBytes: number): void;
}

export class Audience {
  readonly #clock: Clock;
  readonly #windowOf: (channel: number) => ClientWindow;
  readonly #events: AudienceEvents;
  readonly #seats = new Map<number, Seat>();
  /** Of those who are brought back by the clock: how to stop that. */
  readonly #returns = new Map<Seat, Cancel>();
  #look: Cancel | undefined;
  /** What was asked of the viewers with the frame that is being sent. */
  #isAsking = false;

  constructor(clock: Clock, windowOf: (channel: number) => ClientWindow, events: AudienceEvents) {
    this.#clock = clock;
    this.#windowOf = windowOf;
    this.#events = events;
  }

  get size(): number {
    return this.#seats.size;
  }

  /** Whether anybody is to be told what is printed. */
  get isFollowed(): boolean {
    return [...this.#seats.values()].some(({ state }) => state === 'following');
  }

  /** Whether anybody has yet to acknowledge something. */
  get isOwed(): boolean {
    return [...this.#seats.values()].some(({ owesSince }) => owesSince !== null);
  }

  viewer(channel: number): Viewer | undefined {
    return this.#seats.get(channel)?.viewer;
  }

  /** Whether it waits for a replay: it may have left, attached anew or been hidden since it was asked for. */
  isDue(viewer: Viewer): boolean {
    const seat = this.#seats.get(viewer.channel);
    return seat?.viewer === viewer && (seat.state === 'joining' || seat.state === 'returning');
  }

  /** Whether it follows with room to spare. */
  isCalm(viewer: Viewer): boolean {
    return this.isFollowing(viewer) && this.#windowOf(viewer.channel).isRelieved;
  }

  isFollowing(viewer: Viewer): boolean {
    const seat = this.#seats.get(viewer.channel);
    return seat?.viewer === viewer && seat.state === 'following';
  }

  channels(): number[] {
    return [...this.#seats.keys()];
  }

  /** Those of them who look. */
  watching(): number[] {
    return [...this.#seats].flatMap(([channel, { state }]) => (state === 'hidden' ? [] : [channel]));
  }

  /** A viewer that is still to be shown what it missed. */
  join(viewer: Viewer): void {
    this.leave(viewer.channel);
    const window = this.#windowOf(viewer.channel);
    const seat: Seat = {
      viewer,
      window,
      state: 'joining',
      marked: { output: false, bell: false },
      sent: 0,
      acknowledged: 0,
      owesSince: null,
      marks: [],
    };
    this.#seats.set(viewer.channel, seat);
  }

  /** Nobody looks: it is told that something happened, not what. */
  hide(channel: number): void {
    const seat = this.#seats.get(channel);
    if (seat === undefined) return;
    this.#forgive(seat, seat.sent);
    seat.state = 'hidden';
    this.#judge();
  }

  /** Something was printed, or the bell rang: for those who do not see it. */
  mark(what: 'output' | 'bell'): void {
    for (const { state, viewer, marked } of this.#seats.values()) {
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
    const pacers = following.filter((seat) => this.#maySetPace(seat));
    const fastest = widest(pacers);
    const isBlocked = pacers.length > 0 && !pacers.some(hasRoom);
    for (const seat of following) {
      if (seat === fastest || (isBlocked && pacers.includes(seat)) || fits(seat, bytes)) continue;
      seat.state = 'lagging';
      this.#events.lagging(seat.viewer);
      if (seat.window.isRelieved || owesNothing(seat)) this.#returnLater(seat);
    }
    const asking = this.#following().map(({ window }) => window.asksWith(bytes));
    this.#isAsking = asking.includes(true);
    return { wantsAck: this.#isAsking };
  }

  /** How much may be on its way to a viewer. */
  roomOf({ channel }: Viewer): number {
    return this.#windowOf(channel).limitBytes;
  }

  /** It was sent everything from `from` to `to`, and is told what comes; if not live, once it has acknowledged that. */
  follow(channel: number, from: number, to: number, isLive = true): void {
    const seat = this.#seats.get(channel);
    if (seat === undefined) return;
    if (seat.state === 'joining') seat.acknowledged = from;
    else if (from !== seat.sent) this.#forgive(seat, from);
    seat.state = isLive ? 'following' : 'lagging';
    seat.sent = from;
    this.#isAsking = true; // the last frame of a replay asks: the path is learnt from it
    this.#send(seat, to);
    this.#judge();
  }

  leave(channel: number): boolean {
    const seat = this.#seats.get(channel);
    if (seat === undefined) return false;
    this.#seats.delete(channel);
    this.#returns.get(seat)?.();
    this.#returns.delete(seat);
    seat.window.forgive(seat.sent - seat.acknowledged);
    this.#judge();
    return true;
  }

  /** Output up to `end` was told to everybody who follows. */
  told(end: number): void {
    for (const seat of this.#seats.values()) if (seat.state === 'following') this.#send(seat, end);
    this.#judge();
  }

  /** Late or repeated acknowledgements change nothing, and nobody can acknowledge what was not sent. */
  acknowledge(channel: number, offset: number): void {
    const seat = this.#seats.get(channel);
    if (seat === undefined || offset <= seat.acknowledged || offset > seat.sent) return;
    const now = this.#clock.now();
    seat.window.acknowledged(offset - seat.acknowledged, roundTrip(seat, offset, now), now);
    seat.acknowledged = offset;
    seat.owesSince = offset === seat.sent ? null : now;
    // Who has everything will acknowledge nothing more: brought back now, or never.
    if (seat.state === 'lagging' && (seat.window.isRelieved || owesNothing(seat))) {
      seat.state = 'returning';
      this.#events.relieved(seat.viewer, seat.sent);
    }
    this.#judge();
  }

  stop(): void {
    this.#stopLooking();
    for (const cancel of this.#returns.values()) cancel();
    this.#returns.clear();
  }

  #stopLooking(): void {
    this.#look?.();
    this.#look = undefined;
  }

  /** Let go with little or nothing to acknowledge, because a frame was more than its window: no answer brings it back. */
  #returnLater(seat: Seat): void {
    this.#returns.get(seat)?.();
    const cancel = this.#clock.after(RETURN_AFTER_MS, () => {
      this.#returns.delete(seat);
      if (seat.state !== 'lagging') return;
      seat.state = 'returning';
      this.#events.relieved(seat.viewer, seat.sent);
    });
    this.#returns.set(seat, cancel);
  }

  #send(seat: Seat, end: number): void {
    if (end <= seat.sent) return;
    const now = this.#clock.now();
    seat.window.sent(end - seat.sent, now);
    seat.sent = end;
    seat.owesSince ??= now;
    const last = seat.marks.at(-1);
    const isClose = last !== undefined && !last.isAsked && now - last.at < MARK_EVERY_MS;
    if (isClose) seat.marks.pop();
    seat.marks.push({ offset: end, at: isClose ? last.at : now, isAsked: this.#isAsking });
  }

  /** What was skipped over is never acknowledged. */
  #forgive(seat: Seat, from: number): void {
    seat.window.forgive(seat.sent - seat.acknowledged);
    seat.acknowledged = from;
    seat.owesSince = null;
    seat.marks = [];
  }

  #judge(): void {
    const following = this.#following();
    const pacers = following.filter((seat) => this.#maySetPace(seat));
    const isBlocked = pacers.length > 0 && !pacers.some(hasRoom);
    const window = widest(pacers) ?? widest(following);
    const frame = (window?.window.limitBytes ?? Number.POSITIVE_INFINITY) / 4;
    this.#events.paced(isBlocked, Math.min(PAYLOAD_MAX_BYTES, Math.max(FRAME_MIN_BYTES, Math.floor(frame))));
    this.#lookAgain(isBlocked ? pacers : []);
  }

  #following(): Seat[] {
    return [...this.#seats.values()].filter(({ state }) => state === 'following');
  }

  #maySetPace({ viewer, owesSince }: Seat): boolean {
    if (viewer.role !== 'operator') return false;
    return owesSince === null || this.#clock.now() - owesSince < STALLED_AFTER_MS;
  }

  /** A program that waits is looked at again when the last of its pacers may be taken for stalled. */
  #lookAgain(pacers: readonly Seat[]): void {
    this.#stopLooking();
    if (pacers.length === 0) return;
    const owed = pacers.map(({ owesSince }) => owesSince ?? this.#clock.now());
    const wait = Math.max(1, Math.min(...owed) + STALLED_AFTER_MS - this.#clock.now());
    this.#look = this.#clock.after(wait, () => this.#judge());
  }
}

function hasRoom({ acknowledged, sent, window }: Seat): boolean {
  return window.hasRoom || sent - acknowledged < ALWAYS_ROOM_BYTES;
}

function fits({ acknowledged, sent, window }: Seat, bytes: number): boolean {
  return window.fits(bytes) || sent - acknowledged + bytes <= ALWAYS_ROOM_BYTES;
}

function owesNothing({ acknowledged, sent }: Seat): boolean {
  return acknowledged === sent;
}

function widest(seats: readonly Seat[]): Seat | undefined {
  return seats.reduce<Seat | undefined>(
    (best, seat) => (best === undefined || seat.window.limitBytes > best.window.limitBytes ? seat : best),
    undefined,
  );
}

/** Since what ends at `offset` was sent. Who was not asked has waited for quiet first. */
function roundTrip(seat: Seat, offset: number, now: number): number {
  while (seat.marks.length > 1 && (seat.marks[0]?.offset ?? 0) < offset) seat.marks.shift();
  const [mark] = seat.marks;
  if (mark === undefined) return 0;
  if (mark.offset <= offset) seat.marks.shift();
  const waited = mark.isAsked && mark.offset === offset ? 0 : ACK_QUIET_MS;
  return Math.max(0, now - mark.at - waited);
}
