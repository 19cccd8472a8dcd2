/**
 * Decides how fast a program may print, from the state of its followers. Rules OU5, OU9.
 *
 * The fastest pacer decides. A pacer is a visible operator that acknowledges. Without one the program never waits.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { type DeliveryState, STALLED_AFTER_MS } from './delivery-state.ts';

/** A quarter of the smallest window: smaller frames would cost more than they save. */
const FRAME_MIN_BYTES = 2048;

export interface Pace {
  /** The followers that may set the pace. */
  readonly pacers: readonly DeliveryState[];
  /**
   * The pacer with the widest window; the others must keep up with it. While another pacer has room, a pacer with twice
   * its window in flight is excluded: it may be stuck, and would get all output until it counts as stalled.
   */
  readonly fastest: DeliveryState | undefined;
  /** No pacer has room: the program must wait. */
  readonly isBlocked: boolean;
}

export function paceOf(following: readonly DeliveryState[], now: number): Pace {
  const pacers = following.filter((delivery) => delivery.maySetPace(now));
  const isBlocked = pacers.length > 0 && !pacers.some(({ hasRoom }) => hasRoom);
  const candidates = isBlocked ? pacers : pacers.filter(({ window }) => !window.isOverdrawn);
  return { pacers, fastest: widest(candidates), isBlocked };
}

/** The largest frame to send: a quarter of the widest window, so that slow paths get small frames. */
export function frameMaxBytes(following: readonly DeliveryState[], { fastest }: Pace): number {
  const delivery = fastest ?? widest(following);
  const frame = (delivery?.window.limitBytes ?? Number.POSITIVE_INFINITY) / 4;
  return Math.min(PAYLOAD_MAX_BYTES, Math.max(FRAME_MIN_BYTES, Math.floor(frame)));
}

function widest(deliveries: readonly DeliveryState[]): DeliveryState | undefined {
  return deliveries.reduce<DeliveryState | undefined>(
    (best, delivery) =>
      best === undefined || delivery.window.limitBytes > best.window.limitBytes ? delivery : best,
    undefined,
  );
}

/** Called when it changes whether the program must wait, or how large a frame may be. */
export type Paced = (isBlocked: boolean, frameMaxBytes: number) => void;

/** Says how fast a program may print whenever that changes. */
export class ProgramPace {
  readonly #clock: Clock;
  readonly #following: () => readonly DeliveryState[];
  readonly #paced: Paced;
  #look: Cancel | undefined;
  /** What `paced` was told last. */
  #isBlocked = false;
  #frameMaxBytes = PAYLOAD_MAX_BYTES;

  constructor(clock: Clock, following: () => readonly DeliveryState[], paced: Paced) {
    this.#clock = clock;
    this.#following = following;
    this.#paced = paced;
  }

  judge(following = this.#following(), now = this.#clock.now()): void {
    const pace = paceOf(following, now);
    const frame = frameMaxBytes(following, pace);
    this.#lookAgain(pace.isBlocked ? pace.pacers : []);
    if (pace.isBlocked === this.#isBlocked && frame === this.#frameMaxBytes) return;
    this.#isBlocked = pace.isBlocked;
    this.#frameMaxBytes = frame;
    this.#paced(pace.isBlocked, frame);
  }

  stop(): void {
    this.#look?.();
    this.#look = undefined;
  }

  /** Checks a blocked program again when its last pacer would count as stalled. */
  #lookAgain(pacers: readonly DeliveryState[]): void {
    this.stop();
    if (pacers.length === 0) return;
    const owed = pacers.map(({ owesSince }) => owesSince ?? this.#clock.now());
    const wait = Math.max(1, Math.min(...owed) + STALLED_AFTER_MS - this.#clock.now());
    this.#look = this.#clock.after(wait, () => this.judge());
  }
}
