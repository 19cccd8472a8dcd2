/** The connection status to show to an attached user; null when everything works. */
import type { SessionState } from '../../client/session-state.ts';
import type { ClientState } from '../../client/workspace-client.ts';
import { ago } from '../client/session-table.ts';

interface AttachState {
  readonly client: ClientState;
  readonly session: SessionState;
  /** Why the last connection ended. */
  readonly trouble: string | null;
  readonly unsentBytes: number;
  readonly discardedBytes: number;
}

export function attachStatusOf(situation: AttachState, now: Date): string | null {
  const what = stateOf(situation, now);
  if (what === null) return null;
  const { unsentBytes, discardedBytes } = situation;
  const kept = unsentBytes === 0 ? '' : `; ${bytes(unsentBytes)} typed and kept`;
  const gone = discardedBytes === 0 ? '' : `; ${bytes(discardedBytes)} typed and discarded`;
  return what + kept + gone;
}

function stateOf({ client, session, trouble }: AttachState, now: Date): string | null {
  if (session.name === 'live' || session.name === 'exited' || session.name === 'gone') return null;
  if (client.name === 'live') {
    const { state, since } = client.agent;
    if (state === 'online') return 'restoring the screen';
    return `the machine is offline${since === null ? '' : ` since ${ago(new Date(since), now)}`}; waiting`;
  }
  return trouble === null ? 'connecting' : `reconnecting (${trouble.replace(/\.$/, '')})`;
}

const bytes = (count: number) => (count === 1 ? '1 byte' : `${count} bytes`);
