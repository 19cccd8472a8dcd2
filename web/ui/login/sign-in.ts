/** Gives an open page a new login, from a link that the user pastes or from a login made in another tab. */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { type LoginOutcome, logIn } from './log-in.ts';
import type { PageLogin } from './page-login.ts';

export interface PageSignIn {
  /** Logs in with the credential of a link, and reconnects. */
  readonly use: (credential: string) => Promise<LoginOutcome>;
  /** When the login ends, if that is soon; wall clock time in ms. */
  readonly endingAt: () => number | null;
  readonly subscribe: (changed: () => void) => () => void;
}

export function pageSignIn(client: WorkspaceClient, login: PageLogin, workspace: string): PageSignIn {
  return {
    use: async (credential) => {
      const outcome = await logIn(workspace, credential);
      if (outcome.name !== 'in') return outcome;
      await login.changed();
      client.renewed();
      return outcome;
    },
    endingAt: () => login.endingAt,
    subscribe: (changed) => login.onChange(changed),
  };
}

/** The user is back, perhaps from a tab in which they opened another link. That login also works for this page. */
export async function takeOtherLogin(client: WorkspaceClient, login: PageLogin): Promise<void> {
  const { state } = client;
  if (state.name !== 'refused' || state.code !== CLOSE.unauthorized) return;
  await login.changed();
  const { endingAt } = login;
  if (endingAt === null || endingAt > Date.now()) client.renewed();
}
