/** The pinned key of a workspace's agent, in the HTTP API. Rule AK7. */
import * as v from 'valibot';

export const pinnedKeySchema = v.object({
  key: v.nullable(
    v.object({
      fingerprint: v.pipe(v.string(), v.description('SHA-256 of the public key, as ssh-keygen prints one.')),
      pinnedAt: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      pinnedBy: v.pipe(v.string(), v.description('The id of the token that the agent had.')),
    }),
  ),
});
export type PinnedKeyAnswer = v.InferOutput<typeof pinnedKeySchema>;

/** Undefined when `value` is not such an answer. */
export function readPinnedKey(value: unknown): PinnedKeyAnswer | undefined {
  const result = v.safeParse(pinnedKeySchema, value);
  return result.success ? result.output : undefined;
}
