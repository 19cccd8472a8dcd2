/** Checks whether the token is for this machine, as far as possible without the relay's secret. */

import type { TokenReading } from '../../node/token-file.ts';
import { readClaims } from '../../protocol/token.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Enough time to replace it on a working day. */
const SOON_S = 3 * 24 * 3600;

export function checkToken(reading: TokenReading, workspace: string, now: Date): Finding {
  if (!reading.ok) return fail('token', reading.why);
  const claims = readClaims(payloadOf(reading.token));
  if (claims === null)
    return fail(
      'token',
      'The token file holds no Holdfast token; make one with `holdfast token --role agent --out <file>`.',
    );
  const { role, ws, exp } = claims;
  if (role !== 'agent')
    return fail('token', `The token is for the role "${role}"; an agent needs one made with --role agent.`);
  if (ws !== workspace)
    return fail('token', `The token is for the workspace "${ws}", and HOLDFAST_WORKSPACE is "${workspace}".`);
  const left = exp - now.getTime() / 1000;
  const at = new Date(exp * 1000).toISOString();
  if (left <= 0)
    return fail(
      'token',
      `The token expired at ${at}, and this machine's clock says ${now.toISOString()}; make a new one.`,
    );
  if (left < SOON_S)
    return warn('token', `The token expires at ${at}; replace the file before then, no restart is needed.`);
  return ok('token', `agent token for "${ws}", valid until ${at}`);
}

/** The payload of a token, unverified; undefined if there is none. */
export function payloadOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
