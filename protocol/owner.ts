/** What a program sends to prove the key of a relay's owner: a JWT (EdDSA) for one request. Rule GT14. */

/** The `typ` in its header, so that nothing else signed with the key is taken for a proof. */
export const OWNER_PROOF_TYPE = 'holdfast-owner-proof';
