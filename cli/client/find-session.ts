/** Which session is meant by what somebody typed: an id, the beginning of one, a key, or a name. */
import type { SessionInfo } from '../../protocol/messages.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';

/** Of an id as it is printed; long enough that two among a thousand hardly share it. */
export const SHORT_ID_CHARS = 8;

/** Fewer characters are not the beginning of an id but a mistake. */
const PREFIX_MIN_CHARS = 4;

/** The nearest meaning counts: an exact id before a key, a key before a name, a name before a beginning. */
export function findSession(sessions: readonly SessionInfo[], meant: string): SessionInfo {
  const meanings: ((session: SessionInfo) => boolean)[] = [
    ({ id }) => id === meant,
    ({ key }) => key === meant,
    ({ name }) => name === meant,
    ({ id }) => meant.length >= PREFIX_MIN_CHARS && id.startsWith(meant),
  ];
  for (const means of meanings) {
    const found = sessions.filter(means);
    // A name is often used again after its session has ended.
    const running = found.filter(({ status }) => status === 'running');
    const [only, another] = running.length === 1 ? running : found;
    if (only !== undefined && another === undefined) return only;
    if (found.length > 1) throw ambiguous(meant, found);
  }
  throw new CommandError(
    EXIT.noSession,
    `there is no session ${meant}; \`holdfast ls\` shows those there are`,
  );
}

/** The only one that runs, for commands that may be given none. */
export function onlySession(sessions: readonly SessionInfo[]): SessionInfo {
  const running = sessions.filter(({ status }) => status === 'running');
  if (running[0] !== undefined && running.length === 1) return running[0];
  if (running.length === 0)
    throw new CommandError(EXIT.noSession, 'no session runs; `holdfast new --attach` starts one');
  throw new UsageError(`say which session: ${named(running)}`);
}

function ambiguous(meant: string, found: readonly SessionInfo[]): CommandError {
  return new CommandError(EXIT.noSession, `${meant} may be ${named(found)}; use an id`);
}

function named(sessions: readonly SessionInfo[]): string {
  return sessions.map(({ id, name }) => `${id.slice(0, SHORT_ID_CHARS)} (${name})`).join(', ');
}
