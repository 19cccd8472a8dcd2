/**
 * Whether an agent is let in: what the workspace has pinned, what the agent offers, and what its token allows. Pure.
 * Rules AK2, AK3, AK6. Asked when it dials, and again when it has proven its key: the pin may have changed between.
 */

export interface AgentOffer {
  /** The public key that it says it holds; null for an agent without one. */
  readonly key: string | null;
  /** Its token allows another key than the pinned one. */
  readonly repin: boolean;
}

export type Admission =
  | { readonly kind: 'refuse'; readonly why: string }
  /** Nothing is pinned, and there is nothing to pin. */
  | { readonly kind: 'admit' }
  /** Let in once it has proven its key; `pins` when that key is then pinned. */
  | { readonly kind: 'challenge'; readonly key: string; readonly pins: boolean };

const BOTH_WAYS =
  'use an agent token with the claim `repin: true`, or have an operator run `holdfast agent-key reset`.';

const NO_KEY = `This workspace knows its agent by a key, and this agent offers none: its version is too old, or its log says what is wrong with its key file. If it takes the place of another machine, ${BOTH_WAYS}`;

const OTHER_KEY = `This workspace knows its agent by another key. If this machine takes the place of the other one, ${BOTH_WAYS}`;

/** `pinned`: the key that the workspace knows its agent by; null for none. */
export function judgeAgent(pinned: string | null, { key, repin }: AgentOffer): Admission {
  if (key === null) return pinned === null ? { kind: 'admit' } : { kind: 'refuse', why: NO_KEY };
  if (key === pinned) return { kind: 'challenge', key, pins: false };
  return pinned === null || repin
    ? { kind: 'challenge', key, pins: true }
    : { kind: 'refuse', why: OTHER_KEY };
}
