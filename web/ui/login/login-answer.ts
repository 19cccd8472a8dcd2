/** What the relay answers a login and a renewal with, as far as the page needs it. */
import * as v from 'valibot';

/** A time that makes no sense is no time: it only decides when a person is warned. */
const time = v.pipe(
  v.nullish(v.string(), ''),
  v.transform((iso) => Date.parse(iso) || null),
);

export const renewalSchema = v.pipe(
  v.object({ renewal: v.string(), expiresAt: time }),
  v.transform(({ renewal, expiresAt }) => ({ renewal, endsAt: expiresAt })),
);
