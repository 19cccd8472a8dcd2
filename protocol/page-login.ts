/**
 * How a page renews its login. It holds a private key that no script can read, and a renewal: a statement signed by the
 * relay that the holder of this key is logged in until the token expires. To renew, the page signs a fresh challenge
 * from the relay. Rule GT11.
 */
import * as v from 'valibot';

const coordinate = v.pipe(v.string(), v.regex(/^[\w-]{43}$/));

/** The public half of the page's key (ECDSA, P-256) as a JWK. Other members, including a private one, are dropped. */
export const pageKeySchema = v.object({
  kty: v.literal('EC'),
  crv: v.literal('P-256'),
  x: coordinate,
  y: coordinate,
});
export type PageKey = v.InferOutput<typeof pageKeySchema>;

export interface RenewalProof {
  readonly renewal: string;
  readonly challenge: string;
  /** ECDSA with SHA-256 over `provenText`: r and s, as base64url. */
  readonly signature: string;
}

/** The text that the page signs. The first line keeps the signature from being valid for anything else. */
export function provenText({ renewal, challenge }: Omit<RenewalProof, 'signature'>): string {
  return `holdfast renewal\n${challenge}\n${renewal}`;
}

/** The value of `Authorization: Renewal …`. No part contains a `~`. */
export function renewalCredential({ renewal, challenge, signature }: RenewalProof): string {
  return `${renewal}~${challenge}~${signature}`;
}

/** Null when `text` is not such a credential. */
export function readRenewalCredential(text: string): RenewalProof | null {
  const [renewal, challenge, signature, ...more] = text.split('~');
  if (!renewal || !challenge || !signature || more.length > 0) return null;
  return { renewal, challenge, signature };
}
