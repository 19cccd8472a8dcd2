/** Share links as the HTTP API takes and shows them. Rules SL1 to SL8. */
import * as v from 'valibot';
import { SHARE_LABEL_MAX_CHARS, SHARE_LINK_MAX_S, SHARE_LINK_MIN_S } from './limits.ts';
import { clientRoleSchema } from './roles.ts';
import { SESSION_ID } from './token.ts';

const session = v.pipe(v.string(), v.regex(SESSION_ID));
const time = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What is asked for. */
export const wantedLinkSchema = v.strictObject({
  role: clientRoleSchema,
  session: v.optional(v.pipe(session, v.description('The only session that it shows; all without it.'))),
  seconds: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(SHARE_LINK_MIN_S),
    v.maxValue(SHARE_LINK_MAX_S),
    v.description('How long it is valid.'),
  ),
  label: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(SHARE_LABEL_MAX_CHARS),
      v.description('The name that others see of whoever opens it.'),
    ),
  ),
});
export type WantedLink = v.InferOutput<typeof wantedLinkSchema>;

export const shareLinkSchema = v.object({
  id: v.pipe(v.string(), v.description('With this it is revoked. It opens nothing.')),
  role: clientRoleSchema,
  session: v.nullable(v.pipe(session, v.description('Null if it shows all sessions.'))),
  label: v.string(),
  madeBy: v.string(),
  madeAt: time,
  expiresAt: time,
  lastUsedAt: v.nullable(time),
  uses: v.pipe(count, v.description('How often somebody logged in with it.')),
});
export type SharedLink = v.InferOutput<typeof shareLinkSchema>;

export const shareLinksSchema = v.object({
  links: v.pipe(v.array(shareLinkSchema), v.description('Newest first.')),
});

export const madeLinkSchema = v.object({
  ...shareLinkSchema.entries,
  link: v.pipe(v.string(), v.description('The link itself. It is shown this once and stored nowhere.')),
});
export type MadeLink = v.InferOutput<typeof madeLinkSchema>;

/** Null for anything else than the answer of a relay. */
export function readShareLinks(body: unknown): readonly SharedLink[] | null {
  const read = v.safeParse(shareLinksSchema, body);
  return read.success ? read.output.links : null;
}

export function readMadeLink(body: unknown): MadeLink | null {
  const read = v.safeParse(madeLinkSchema, body);
  return read.success ? read.output : null;
}
