/** Text that is typed into a session. */
import type { AttachedSession } from '../../client/attached-session.ts';

export function typeInto(session: AttachedSession, text: string): void {
  session.type(new TextEncoder().encode(text));
}
