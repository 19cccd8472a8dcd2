/** Chooses between the terminals and a notice: a page that was never let in has no terminals to show. */

import { useEffect, useState } from 'react';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import { CLOSE } from '../../protocol/close-codes.ts';
import { SENTENCE_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { useClientState } from './connection/use-client-state.ts';
import { NoCredential, TroubleNotice } from './elements/notice.tsx';
import { LinkForm } from './login/link-form.tsx';
import type { PageSignIn } from './login/sign-in.ts';
import type { PushSwitch } from './push/push-switch.ts';
import type { SettingsStore } from './settings/settings.ts';
import { TerminalPage } from './terminal-page.tsx';

interface Props {
  readonly client: WorkspaceClient;
  readonly clock: Clock;
  readonly settings: SettingsStore;
  readonly workspace: string;
  readonly mayUseWebgl: boolean;
  /** Null where the page has no login of its own. */
  readonly onLogOut: (() => void) | null;
  readonly signIn: PageSignIn | null;
  readonly push: PushSwitch | null;
}

export function WorkspacePage(props: Props) {
  const state = useClientState(props.client);
  const [wasLive, setWasLive] = useState(false);
  useEffect(() => {
    if (state.name === 'live') setWasLive(true);
  }, [state]);

  if (state.name === 'refused' && !wasLive) {
    if (state.code === CLOSE.unauthorized) return <NoCredential>{linkForm(props)}</NoCredential>;
    return (
      <TroubleNotice sentence={printable(state.why, SENTENCE_MAX_CHARS)} onRetry={() => location.reload()} />
    );
  }
  return <TerminalPage {...props} state={state} wasLive={wasLive} />;
}

function linkForm({ signIn, workspace }: Props) {
  return signIn === null ? null : (
    <LinkForm workspace={workspace} onLink={({ credential }) => signIn.use(credential)} />
  );
}
