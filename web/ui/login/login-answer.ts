/** The part of the relay's answer to a login or renewal that the page needs. */
import * as v from 'valibot';

/** An invalid time counts as none: it only decides when the user is warned. */
const time = v.pipe(
  v.nullish(v.string(), ''),
  v.transform((iso) => Date.parse(iso) || null),
);

export const renewalSchema = v.pipe(
  v.object({ renewal: v.string(), expiresAt: time }),
  v.transform(({ renewal, expiresAt }) => ({ renewal, endsAt: expiresAt })),
);
