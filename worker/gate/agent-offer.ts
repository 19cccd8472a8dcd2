/**
 * What the Worker tells the object of an agent that dials: the key it offers, checked, with a challenge prepared for it,
 * and what its token allows. Trusted like the caller (caller.ts): the request is made anew, nobody else can write it.
 */
import type { AgentOffer } from './agent-admission.ts';
import { type PreparedChallenge, prepareChallenge } from './agent-challenge.ts';

export interface OfferedKey extends AgentOffer {
  /** Null without a key. */
  readonly prepared: PreparedChallenge | null;
}

const HEADER = 'X-Holdfast-Agent-Offer';

/** Null when the header holds no key that could be proven. */
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

/** During a deploy an older Worker may be who asks: it knows no keys. */
export function receiveOffer(request: Request): OfferedKey {
  const header = request.headers.get(HEADER);
  return header === null ? { key: null, repin: false, prepared: null } : (JSON.parse(header) as OfferedKey);
}
