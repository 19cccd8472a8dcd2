/** How an open page gets another login: by a link that a person pastes, or by one that another tab was opened with. */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { type LoginOutcome, logIn } from './log-in.ts';
import type { PageLogin } from './page-login.ts';

export interface PageSignIn {
  /** Logs in with what a link holds, and connects again. */
  readonly use: (credential: string) => Promise<LoginOutcome>;
  /** When the login ends, once that is soon; in ms, by the wall clock. */
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

/** A person is back, perhaps from a tab in which they opened another link: that login is this page's too. */
export async function takeOtherLogin(client: WorkspaceClient, login: PageLogin): Promise<void> {
  const { state } = client;
  if (state.name !== 'refused' || state.code !== CLOSE.unauthorized) return;
  await login.changed();
  const { endingAt } = login;
  if (endingAt === null || endingAt > Date.now()) client.renewed();
}
