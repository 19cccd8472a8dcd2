/**
 * Who follows a session's output, who has fallen behind, and whether the program must wait. Rules OU5, OU9, OU10.
 *
 *              replay sent          no room, and others have some, or it may not set the pace
 *   joining ───────────────► following ──────────────────────────────────────► lagging
 *                                ▲                                                │
 *                                └───────────── returning ◄───────────────────────┘
 *                                 replay sent               its window is half empty again
 *
 * The program is paced by the fastest of those who may set the pace: an operator that acknowledges. Everybody
 * else who does not keep up is let go and brought back later, also when it is the only one. Nobody waits for
 * nobody.
 */
import type { Cancel, Clock } from '../protocol/clock.ts';
import type { ClientWindow } from './client-window.ts';
import type { Viewer } from './viewer.ts';

/** Who has owed an acknowledgement for this long is gone, asleep or stuck, and nobody waits for it. */
export const STALLED_AFTER_MS = 2_000;

/** What a session may have on its way whatever the client's window says: an echo must not queue behind another
 * session's flood. */
export const ALWAYS_ROOM_BYTES = 4096;

/** Times of sending are noted this far apart: fine enough for round trips, coarse enough for a flood. */
const MARK_EVERY_MS = 5;

interface Seat {
  readonly viewer: Viewer;
  readonly window: ClientWindow;
  state: 'joining' | 'following' | 'lagging' | 'returning';
  sent: number;
  acknowledged: number;
  /** Since when it has owed an acknowledgement without giving any; null when it owes none. */
  owesSince: number | null;
  /** When output up to which offset was sent, oldest first. */
  marks: { readonly offset: number; readonly at: number }[];
}

export interface AudienceEvents {
  /** `viewer` is to be told no more output. */
  lagging(viewer: Viewer): void;
  /** `viewer` may be brought up to date; it has everything below `has`. */
  relieved(viewer: Viewer, has: number): void;
  /** Whether the program must wait. */
  blocked(isBlocked: boolean): void;
}

export class Audience {
  readonly #clock: Clock;
  readonly #windowOf: (channel: number) => ClientWindow;
  readonly #events: AudienceEvents;
  readonly #seats = new Map<number, Seat>();
  #look: Cancel | undefined;

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

  channels(): number[] {
    return [...this.#seats.keys()];
  }

  /** A viewer that is still to be shown what it missed. */
  join(viewer: Viewer): void {
    this.leave(viewer.channel);
    const window = this.#windowOf(viewer.channel);
    const seat: Seat = {
      viewer,
      window,
      state: 'joining',
      sent: 0,
      acknowledged: 0,
      owesSince: null,
      marks: [],
    };
    this.#seats.set(viewer.channel, seat);
  }

  /** It was sent everything from `from` to `to`, and is told what comes. */
  follow(channel: number, from: number, to: number): void {
    const seat = this.#seats.get(channel);
    if (seat === undefined) return;
    if (seat.state === 'joining') seat.acknowledged = from;
    else if (from !== seat.sent) this.#forgive(seat, from);
    seat.state = 'following';
    seat.sent = from;
    this.#send(seat, to);
    this.#judge();
  }

  leave(channel: number): boolean {
    const seat = this.#seats.get(channel);
    if (seat === undefined) return false;
    this.#seats.delete(channel);
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
    seat.window.acknowledged(offset - seat.acknowledged, now - sentAt(seat, offset, now), now);
    seat.acknowledged = offset;
    seat.owesSince = offset === seat.sent ? null : now;
    if (seat.state === 'lagging' && seat.window.isRelieved) {
      seat.state = 'returning';
      this.#events.relieved(seat.viewer, seat.sent);
    }
    this.#judge();
  }

  stop(): void {
    this.#look?.();
    this.#look = undefined;
  }

  #send(seat: Seat, end: number): void {
    if (end <= seat.sent) return;
    const now = this.#clock.now();
    seat.window.sent(end - seat.sent, now);
    seat.sent = end;
    seat.owesSince ??= now;
    const last = seat.marks.at(-1);
    if (last !== undefined && now - last.at < MARK_EVERY_MS) seat.marks.pop();
    seat.marks.push({ offset: end, at: last !== undefined && now - last.at < MARK_EVERY_MS ? last.at : now });
  }

  /** What was skipped over is never acknowledged. */
  #forgive(seat: Seat, from: number): void {
    seat.window.forgive(seat.sent - seat.acknowledged);
    seat.acknowledged = from;
    seat.owesSince = null;
    seat.marks = [];
  }

  #judge(): void {
    const following = [...this.#seats.values()].filter(({ state }) => state === 'following');
    const pacers = following.filter((seat) => this.#maySetPace(seat));
    const isBlocked = pacers.length > 0 && pacers.every((seat) => !hasRoom(seat));
    for (const seat of following) {
      if (hasRoom(seat) || (isBlocked && pacers.includes(seat))) continue;
      seat.state = 'lagging';
      this.#events.lagging(seat.viewer);
    }
    this.#events.blocked(isBlocked);
    this.#lookAgain(isBlocked ? pacers : []);
  }

  #maySetPace({ viewer, owesSince }: Seat): boolean {
    if (viewer.role !== 'operator') return false;
    return owesSince === null || this.#clock.now() - owesSince < STALLED_AFTER_MS;
  }

  /** A program that waits is looked at again when the last of its pacers may be taken for stalled. */
  #lookAgain(pacers: readonly Seat[]): void {
    this.stop();
    if (pacers.length === 0) return;
    const owed = pacers.map(({ owesSince }) => owesSince ?? this.#clock.now());
    const wait = Math.max(1, Math.min(...owed) + STALLED_AFTER_MS - this.#clock.now());
    this.#look = this.#clock.after(wait, () => this.#judge());
  }
}

function hasRoom({ acknowledged, sent, window }: Seat): boolean {
  return window.hasRoom || sent - acknowledged < ALWAYS_ROOM_BYTES;
}

function sentAt(seat: Seat, offset: number, now: number): number {
  while (seat.marks.length > 1 && (seat.marks[0]?.offset ?? 0) < offset) seat.marks.shift();
  const [mark] = seat.marks;
  if (mark === undefined) return now;
  if (mark.offset <= offset) seat.marks.shift();
  return mark.at;
}
