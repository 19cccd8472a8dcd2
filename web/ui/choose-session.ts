/** Which session a page that has just connected shows. */
import type { SessionInfo } from '../../protocol/messages.ts';
import type { KeptSession } from './session-memory.ts';

/** The one it showed before, else the oldest that runs; null when it has to start one. */
export function chooseSession(
  kept: KeptSession | null,
  sessions: readonly SessionInfo[],
): SessionInfo | null {
  const running = sessions.filter((session) => session.status === 'running');
  return running.find((session) => session.id === kept?.id) ?? running[0] ?? null;
}
