/** Finds the session that an argument refers to: an id, the beginning of one, a key, or a name. */

import { endReasonText } from '../../client/end-reason.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { EndReason, SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** Length of a printed id; long enough that two among a thousand sessions are unlikely to share it. */
export const SHORT_ID_CHARS = 8;

/** Fewer characters are taken for a mistake, not for the beginning of an id. */
const PREFIX_MIN_CHARS = 4;

/** The session that the argument refers to; without one, the only running session. */
export async function sessionMeant(
  client: Pick<WorkspaceClient, 'list'>,
  meant: string | undefined,
): Promise<SessionInfo> {
  const sessions = await client.list({ people: true });
  if (meant === undefined) return onlySession(sessions);
  if (candidates(sessions, meant).length > 0) return findSession(sessions, meant);
  const missing = await client.list({ lostToo: true });
  const ended = missing.filter(({ endedBy }) => endedBy !== undefined);
  throw noSession(meant, candidates(ended, meant).at(-1)?.endedBy);
}

export function findSession(sessions: readonly SessionInfo[], meant: string): SessionInfo {
  const found = candidates(sessions, meant);
  // A name is often reused after its session has ended.
  const running = found.filter(({ status }) => status === 'running');
  const [only, another] = running.length === 1 ? running : found;
  if (only === undefined) throw noSession(meant);
  if (another !== undefined) throw ambiguous(meant, found);
  return only;
}

/** The most specific match wins: an id before a key, a key before a name, a name before the beginning of an id. */
function candidates(sessions: readonly SessionInfo[], meant: string): readonly SessionInfo[] {
  const meanings: ((session: SessionInfo) => boolean)[] = [
    ({ id }) => id === meant,
    ({ key }) => key === meant,
    ({ name }) => name === meant,
    ({ id }) => meant.length >= PREFIX_MIN_CHARS && id.startsWith(meant),
  ];
  return meanings.map((means) => sessions.filter(means)).find(({ length }) => length > 0) ?? [];
}

/** The only running session, for commands whose argument is optional. */
export function onlySession(sessions: readonly SessionInfo[]): SessionInfo {
  const running = sessions.filter(({ status }) => status === 'running');
  if (running[0] !== undefined && running.length === 1) return running[0];
  if (running.length === 0)
    throw new CommandError(EXIT.noSession, 'no session is running; `holdfast new --attach` starts one');
  throw new UsageError(`several sessions are running; choose one: ${named(running)}`);
}

function noSession(meant: string, endedBy?: EndReason): CommandError {
  const why =
    endedBy === undefined
      ? `no session "${meant}"`
      : `session "${meant}" was ended: ${endReasonText(endedBy)}`;
  return new CommandError(EXIT.noSession, `${why}; \`holdfast ls\` lists the sessions`);
}

function ambiguous(meant: string, found: readonly SessionInfo[]): CommandError {
  return new CommandError(EXIT.noSession, `"${meant}" matches several sessions: ${named(found)}; use an id`);
}

function named(sessions: readonly SessionInfo[]): string {
  return sessions.map(({ id, name }) => `${id.slice(0, SHORT_ID_CHARS)} (${printable(name)})`).join(', ');
}
