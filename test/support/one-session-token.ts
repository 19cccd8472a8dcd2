/** Tokens for one session, as a platform makes them. */

import type { ClientRole } from '../../protocol/roles.ts';
import { newClaims, signToken } from '../../worker/gate/made-token.ts';
import { SECRET, type TestRelay } from './test-relay.ts';

export function oneSessionToken(relay: TestRelay, role: ClientRole, session: string): Promise<string> {
  return signToken(newClaims({ ws: relay.workspace, role, session }, 24 * 3600), {
    secret: SECRET,
    publicKeys: undefined,
  });
}
