/** Whose a subscription is. */
import type { Caller } from '../gate/caller.ts';
import type { PushSubscription } from '../registry/push-subscriptions.ts';

/** What a browser sends to subscribe, checked, and what the Worker adds. */
export type AskedSubscription = Omit<PushSubscription, 'person' | 'role' | 'credential'>;

/**
 * A person may have several tokens, one after the other or at the same time. A ticket's viewer is somebody else than the
 * operator who bought it, although both have the operator's name.
 */
export function personOf({
  role,
  credential: { name, tokenId },
}: Pick<Caller, 'role' | 'credential'>): string {
  // A name is printable, so none can be taken for a token. [PU4]
  return name === undefined ? `${role}\n${tokenId}` : `${role} ${name}`;
}

export function subscriptionOf(caller: Caller, asked: AskedSubscription): PushSubscription {
  const { tokenId, issuedAt, expiresAt } = caller.credential;
  return {
    ...asked,
    person: personOf(caller),
    role: caller.role === 'operator' ? 'operator' : 'viewer',
    credential: { tokenId, issuedAt, expiresAt },
  };
}
