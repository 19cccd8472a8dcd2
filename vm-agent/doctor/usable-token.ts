/**
 * Whether the agent's token can be used at all, asked once at the start: an agent that dials for ever with a token for
 * another workspace helps nobody. While it runs, a token that has gone bad ends nothing: the file may be replaced.
 *
 * Expiry is judged together with the relay. This machine's clock alone may be wrong.
 */

import type { TokenReading } from '../../node/token-file.ts';
import { checkToken } from './check-token.ts';

/** Its message is the sentence to show. */
export class TokenError extends Error {}

/** EX_NOPERM of sysexits.h. Apart from 2, because a service may try again once the file has been replaced. */
export const TOKEN_EXIT_CODE = 77;

/** Throws a TokenError for a token that no relay would take from this agent, at any time. */
export function requireUsableToken(reading: TokenReading, workspace: string): void {
  const { verdict, sentence } = checkToken(reading, workspace, new Date(0));
  if (verdict === 'fail') throw new TokenError(sentence);
}

/** The sentence about a token that has expired by this machine's clock; null when it has not. */
export function expirySentence(reading: TokenReading, workspace: string, now: Date): string | null {
  const { verdict, sentence } = checkToken(reading, workspace, now);
  return verdict === 'fail' ? sentence : null;
}
