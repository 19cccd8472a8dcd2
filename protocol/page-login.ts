/**
 * How a page renews its login. It holds a private key that no script can read, and a renewal: a statement of the relay
 * that whoever has this key is logged in until the token ends. To renew, it signs a fresh challenge of the relay. Rule GT11.
 */
import * as v from 'valibot';

const coordinate = v.pipe(v.string(), v.regex(/^[\w-]{43}$/));

/** The public half of the page's key (ECDSA, P-256) as a JWK. Other members, a private one among them, are dropped. */
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
  /** ECDSA with SHA-256 over `provenText`, r and s, base64url. */
  readonly signature: string;
}

/** What the page signs. The first line keeps the signature from meaning anything elsewhere. */
export function provenText({ renewal, challenge }: Omit<RenewalProof, 'signature'>): string {
  return `holdfast renewal\n${challenge}\n${renewal}`;
}

/** As `Authorization: Renewal …` carries it. No part contains a `~`. */
export function renewalCredential({ renewal, challenge, signature }: RenewalProof): string {
  return `${renewal}~${challenge}~${signature}`;
}

/** Null when `text` is no such credential. */
export function readRenewalCredential(text: string): RenewalProof | null {
  const [renewal, challenge, signature, ...more] = text.split('~');
  if (!renewal || !challenge || !signature || more.length > 0) return null;
  return { renewal, challenge, signature };
}
