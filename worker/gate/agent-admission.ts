/**
 * Decides whether an agent may connect, from the workspace's pin, the key the agent offers, and what its token allows.
 * Pure functions. Rules AK2, AK3, AK6. The decision is made when the agent connects and again after it has proven its
 * key, because the pin may have changed in between.
 */

export interface AgentOffer {
  /** The public key that the agent claims to hold; null when it has none. */
  readonly key: string | null;
  /** The token allows a key other than the pinned one. */
  readonly repin: boolean;
}

export type Admission =
  | { readonly kind: 'refuse'; readonly why: string }
  /** Nothing is pinned, and the agent has no key to pin. */
  | { readonly kind: 'admit' }
  /** Admitted once it has proven its key. With `pins`, that key is then pinned. */
  | { readonly kind: 'challenge'; readonly key: string; readonly pins: boolean };

const BOTH_WAYS =
  'use an agent token with the claim `repin: true`, or have an operator run `holdfast agent-key reset`.';

const NO_KEY = `This workspace has pinned the key of its agent, and this agent offers none: its version is too old, or its log says what is wrong with its key file. If it replaces another machine, ${BOTH_WAYS}`;

const OTHER_KEY = `This workspace has pinned another key for its agent. If this machine replaces the other one, ${BOTH_WAYS}`;

/** `pinned` is the agent key that the workspace has stored; null for none. */
export function judgeAgent(pinned: string | null, { key, repin }: AgentOffer): Admission {
  if (key === null) return pinned === null ? { kind: 'admit' } : { kind: 'refuse', why: NO_KEY };
  if (key === pinned) return { kind: 'challenge', key, pins: false };
  return pinned === null || repin
    ? { kind: 'challenge', key, pins: true }
    : { kind: 'refuse', why: OTHER_KEY };
}
