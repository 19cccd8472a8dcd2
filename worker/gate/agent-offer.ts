/**
 * What the Worker tells the object about a connecting agent: the key it offers, validated and with a prepared
 * challenge, and what its token allows. The object trusts this header as it trusts caller.ts: the Worker builds the
 * request from scratch, and nobody else can write it.
 */
import type { AgentOffer } from './agent-admission.ts';
import { type PreparedChallenge, prepareChallenge } from './agent-challenge.ts';

export interface OfferedKey extends AgentOffer {
  /** Null when no key is offered. */
  readonly prepared: PreparedChallenge | null;
}

const HEADER = 'X-Holdfast-Agent-Offer';

/** Null when the header does not contain a key that can be proven. */
export async function readOffer(
  header: string | undefined,
  workspace: string,
  repin: boolean,
): Promise<OfferedKey | null> {
  if (header === undefined) return { key: null, repin, prepared: null };
  const prepared = await prepareChallenge(workspace, header);
  return prepared === null ? null : { key: header, repin, prepared };
}

export function passOffer(offer: OfferedKey): Record<string, string> {
  return { [HEADER]: JSON.stringify(offer) };
}

/** During a deploy the request may come from an older Worker that does not know agent keys. */
export function receiveOffer(request: Request): OfferedKey {
  const header = request.headers.get(HEADER);
  return header === null ? { key: null, repin: false, prepared: null } : (JSON.parse(header) as OfferedKey);
}
