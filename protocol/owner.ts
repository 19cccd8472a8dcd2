/** What a relay and the programs of its owner say to each other. Rules GT14 and FL6. */

/**
 * The `typ` of what proves the owner's key, a JWT (EdDSA) for one request, so that nothing else signed with the key is
 * taken for a proof.
 */
export const OWNER_PROOF_TYPE = 'holdfast-owner-proof';

/** What the relay sends on the socket of the owner's page when the list of machines is no longer what it was. */
export const MACHINES_CHANGED = '{"type":"machines_changed"}';
