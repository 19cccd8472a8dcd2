/**
 * How fast a program may print, judged by those who follow it. Rules OU5, OU9.
 *
 * It is paced by the fastest of those who may set the pace: an operator that looks and acknowledges. Without one
 * it never waits.
 */
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import type { DeliveryState } from './delivery-state.ts';

/** A quarter of the smallest window: smaller frames would cost more than they are worth. */
const FRAME_MIN_BYTES = 2048;

export interface Pace {
  /** Those who may set it. */
  readonly pacers: readonly DeliveryState[];
  /**
   * The one with the widest window among them, which the others must keep up with. While another one has room, not one
   * that has twice of what its window holds: it may be stuck, and would be sent everything until it is taken for stalled.
   */
  readonly fastest: DeliveryState | undefined;
  /** None of them has room: the program must wait. */
  readonly isBlocked: boolean;
}

export function paceOf(following: readonly DeliveryState[], now: number): Pace {
  const pacers = following.filter((delivery) => delivery.maySetPace(now));
  const isBlocked = pacers.length > 0 && !pacers.some(({ hasRoom }) => hasRoom);
  const candidates = isBlocked ? pacers : pacers.filter(({ window }) => !window.isOverdrawn);
  return { pacers, fastest: widest(candidates), isBlocked };
}

/** The most to send in one frame: a quarter of the widest window, so that a slow path takes small ones. */
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
