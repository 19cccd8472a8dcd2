/** Text that is typed into a session, and the prompt of the shells that it is typed into. */
import type { AttachedSession } from '../../client/attached-session.ts';

/**
 * It does not depend on this machine, and ends its row. What is typed before a prompt is printed is echoed above it, and
 * its output follows it: so that begins a row too.
 */
export const PROMPT = '$\n';

export function typeInto(session: AttachedSession, text: string): void {
  session.type(new TextEncoder().encode(text));
}
