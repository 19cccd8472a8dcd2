/** Attaches a session for the duration of a request. */
import type { AttachedSession, AttachOptions } from '../../../client/attached-session.ts';
import type { Screen } from '../../../client/screen.ts';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { Refusal } from '../../../protocol/errors.ts';
import type { Size } from '../../../protocol/frame.ts';
import { isAgentOnline, requireOnline, untilClient } from './open-client.ts';

/** Resolves once the session is attached and the replay is received; otherwise throws the error that HTTP answers. */
export async function attach(
  client: WorkspaceClient,
  id: string,
  size: Size | null,
  screen: Screen,
  options: AttachOptions,
): Promise<AttachedSession> {
  requireOnline(client);
  const session = client.attach(id, size, screen, options);
  await untilClient(client, () => session.state.name !== 'attaching' || !isAgentOnline(client));
  if (session.state.name === 'attaching') requireOnline(client);
  if (session.state.name === 'gone') throw new Refusal(session.state.code, session.state.why);
  return session;
}
