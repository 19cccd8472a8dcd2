/** The notices of a session: continues with those of another agent process, if there was one. */
import { type NoticesOptions, SessionNotices } from '../attention/session-notices.ts';
import type { SessionOptions } from './session-options.ts';

export function openNotices(
  { adopted, clock, lookForWait }: Pick<SessionOptions<unknown>, 'adopted' | 'clock' | 'lookForWait'>,
  own: Pick<NoticesOptions, 'session' | 'changed' | 'store'>,
): SessionNotices {
  const start = adopted?.end ?? 0;
  return new SessionNotices({ clock, lookForWait, saved: adopted?.attention, start, ...own });
}
