/** Decides between the terminal and a notice: a page that was never let in has no terminal to show. */
import { useEffect, useState } from 'react';
import { CLOSE } from '../../protocol/close-codes.ts';
import type { WorkspaceClient } from '../client/workspace-client.ts';
import { NoCredential, Trouble } from './notice.tsx';
import { TerminalPage } from './terminal-page.tsx';
import { useClientState } from './use-client-state.ts';

interface Props {
  readonly client: WorkspaceClient;
  readonly workspace: string;
}

export function WorkspacePage({ client, workspace }: Props) {
  const state = useClientState(client);
  const [wasLive, setWasLive] = useState(false);
  useEffect(() => {
    if (state.name === 'live') setWasLive(true);
  }, [state]);

  if (state.name === 'refused' && !wasLive) {
    if (state.code === CLOSE.unauthorized) return <NoCredential />;
    return <Trouble sentence={state.why} onRetry={() => location.reload()} />;
  }
  return <TerminalPage client={client} state={state} wasLive={wasLive} workspace={workspace} />;
}
