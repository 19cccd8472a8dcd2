/** Sessions with clients that read late or never. */
import { ECHO_ROOM_MAX_BYTES, REPLAYS_IN_FLIGHT_MAX_BYTES } from '../../../protocol/limits.ts';
import { WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import { UnreadRelay } from '../../support/unread-relay.ts';

export const HISTORY_BYTES = 256 * 1024;
export const SCREEN_BYTES = 100_000;
/** Everything that one replay can be. */
const REPLAY_MAX_BYTES = HISTORY_BYTES + SCREEN_BYTES + 1_000;
/** A client that has never acknowledged anything: its first window, its replays, its echoes. */
export const UNREAD_MAX_BYTES = 1.25 * WINDOW_FIRST_BYTES + REPLAYS_IN_FLIGHT_MAX_BYTES + ECHO_ROOM_MAX_BYTES;
/** Replays that are sent after 1 s, 3 s, 7 s, … although there is no credit. */
export const forcedBytes = (ms: number) => Math.floor(Math.log2(ms / 1_000 + 1)) * REPLAY_MAX_BYTES;

export function world(sessions = 1, paddingBytes = 0) {
  const relay = new UnreadRelay(HISTORY_BYTES);
  const ids = Array.from({ length: sessions }, () => relay.create());
  for (const screen of relay.screens.screens) screen.paddingBytes = paddingBytes;
  return { relay, ids, id: ids[0] as string };
}
