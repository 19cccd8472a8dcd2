/**
 * Checks once, at startup, whether the agent's token can work at all: dialling forever with a token for another
 * workspace is pointless. A token that becomes invalid later does not stop a running agent, because the file may be
 * replaced.
 *
 * Expiry also needs the relay's verdict, because this machine's clock may be wrong.
 */

import type { TokenReading } from '../../node/token-file.ts';
import { checkToken } from './check-token.ts';

/** Its message is shown to the user. */
export class TokenError extends Error {}

/** EX_NOPERM of sysexits.h. Distinct from 2, because a service may retry once the file has been replaced. */
export const TOKEN_EXIT_CODE = 77;

/** Throws a TokenError for a token that no relay would ever accept from this agent. */
export function requireUsableToken(reading: TokenReading, workspace: string): void {
  const { verdict, sentence } = checkToken(reading, workspace, new Date(0));
  if (verdict === 'fail') throw new TokenError(sentence);
}

/** The message about a token that has expired by this machine's clock; null if it has not. */
export function expirySentence(reading: TokenReading, workspace: string, now: Date): string | null {
  const { verdict, sentence } = checkToken(reading, workspace, now);
  return verdict === 'fail' ? sentence : null;
}
