/** What the list of sessions says of one, also while the agent is being replaced. */
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { HeadlessClient } from './headless-client.ts';

/** A request that is under way while another agent connects is refused. It is repeated here. */
export async function knownSession(client: HeadlessClient, id: string): Promise<SessionInfo | undefined> {
  await client.online();
  const sessions = await client.client.list().catch(() => null);
  return sessions === null ? knownSession(client, id) : sessions.find((known) => known.id === id);
}
