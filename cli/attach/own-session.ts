/**
 * Refuses to attach to the session that the command itself runs in, because the session's output would be fed back into
 * it endlessly. In a shell, `TERM_SESSION_ID` names its session; it grants no access.
 */

import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export function refuseOwnSession(
  { id, name }: Pick<SessionInfo, 'id' | 'name'>,
  environment: Variables,
): void {
  if (environment.TERM_SESSION_ID !== id) return;
  throw new CommandError(
    EXIT.failed,
    `this shell already runs in session "${printable(name) || id}"; attaching to it here would feed its output back into it. Attach from another terminal, or use --force`,
  );
}
