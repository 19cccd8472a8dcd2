/**
 * Refuses to attach to the session that the command itself runs in: what the session prints would be printed into it
 * again, without end. `TERM_SESSION_ID` in a shell names its session; it grants nothing.
 */
import type { SessionInfo } from '../../protocol/messages.ts';
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
    `this shell runs in session "${printable(name) || id}" itself, and attaching to it here would feed its output back into it; attach from another terminal, or use --force`,
  );
}
