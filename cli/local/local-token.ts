/** The workspace of `npm start` and `holdfast up`, its tokens, and the link that opens it. */
import { claimsAskedBy, mintToken } from '../relay/mint-token.ts';
import type { LocalState } from './local-state.ts';

export const WORKSPACE = 'local';

/** The link and the agent's token are valid for a month; each start makes new ones. */
const TOKEN_LIFETIME_S = 30 * 24 * 3600;

export async function localToken(state: LocalState, role: 'agent' | 'operator'): Promise<string> {
  const claims = claimsAskedBy(process.env);
  return mintToken(
    { workspace: WORKSPACE, role, lifetimeSeconds: TOKEN_LIFETIME_S, ...claims },
    await state.secret(),
  );
}

/**
 * The page at the exact address that the relay listens on. `localhost` would read better, but makes a browser try ::1
 * first, where any user of this machine could listen and receive the token.
 */
export function pageOf(address: URL): string {
  return new URL(`/w/${WORKSPACE}`, address).href;
}

export function linkOf(address: URL, token: string): string {
  return `${pageOf(address)}#token=${token}`;
}
