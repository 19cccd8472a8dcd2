/** Checks whether the agent's key is usable, and whether it is the one the relay has pinned. */

import type { TokenReading } from '../../node/token-file.ts';
import { readClaims } from '../../protocol/token.ts';
import { type KeyReading, readKeyFile } from '../identity/key-file.ts';
import { payloadOf } from './check-token.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** What the relay has pinned; `unknown` if it did not say. */
export type Pin =
  | { readonly kind: 'none' }
  | { readonly kind: 'pinned'; readonly fingerprint: string }
  | { readonly kind: 'unknown' };

const BOTH_WAYS =
  'make its token with `holdfast token --repin`, or have an operator run `holdfast agent-key reset`.';

export function checkKey(path: string, pin: Pin, token: TokenReading): Finding {
  return judgeKey(path, readKeyFile(path), pin, mayRepin(token));
}

export function judgeKey(path: string, reading: KeyReading, pin: Pin, repin: boolean): Finding {
  const about = 'agent key';
  if (reading.kind === 'unusable') return (pin.kind === 'pinned' ? fail : warn)(about, reading.why);
  if (reading.kind === 'missing') {
    if (pin.kind !== 'pinned' || repin) return ok(about, `${path} does not exist yet; the agent creates it`);
    return fail(about, `${path} does not exist, and the relay has pinned ${pin.fingerprint}: ${BOTH_WAYS}`);
  }
  const { fingerprint } = reading.key;
  if (pin.kind === 'unknown')
    return ok(about, `${fingerprint} in ${path}; the relay does not report a pinned key`);
  if (pin.kind === 'none') return ok(about, `${fingerprint} in ${path}; the relay will pin it`);
  if (pin.fingerprint === fingerprint) return ok(about, `${fingerprint}, which the relay has pinned`);
  if (repin) return ok(about, `${fingerprint}; the token lets it replace ${pin.fingerprint}`);
  return fail(
    about,
    `${fingerprint} is not the key that the relay has pinned, ${pin.fingerprint}: ${BOTH_WAYS}`,
  );
}

function mayRepin(token: TokenReading): boolean {
  return token.ok && readClaims(payloadOf(token.token))?.repin === true;
}
