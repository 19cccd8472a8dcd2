/** How many HTTP requests one token may make of this isolate. Rule RL24. */
import { REQUESTS_BURST_MAX, REQUESTS_PER_S_MAX } from '../protocol/limits.ts';
import { TokenMeter } from './token-meter.ts';

/** A request that has this much inflated for it costs as much as one more. */
const INFLATED_BYTES_PER_REQUEST = 1024 * 1024;

export const requestMeter = new TokenMeter({ capacity: REQUESTS_BURST_MAX, refillPerS: REQUESTS_PER_S_MAX });

export function chargeInflated(tokenId: string, bytes: number, now: number): void {
  requestMeter.take(tokenId, bytes / INFLATED_BYTES_PER_REQUEST, now);
}
