/** The public key that a page sends with its login, if it wants to renew it. Rules GT11 and FL7. */
import type { Context } from 'hono';
import * as v from 'valibot';
import { type PageKey, pageKeySchema } from '../../protocol/page-login.ts';
import { importPageKey } from '../gate/own-credentials.ts';
import { ApiError } from './api-error.ts';
import { type App, jsonBody } from './http.ts';

const loginSchema = v.object({ key: v.optional(pageKeySchema) });

/** Undefined if the page sends none. A key that cannot be used is refused. */
export async function loginKeyOf(c: Context<App>): Promise<PageKey | undefined> {
  const wanted = v.safeParse(loginSchema, await jsonBody(c));
  const key = wanted.success ? wanted.output.key : undefined;
  if (wanted.success && (key === undefined || (await importPageKey(key)) !== null)) return key;
  throw new ApiError(
    400,
    'bad_request',
    'A login takes {"key"?: <public JWK of an ECDSA P-256 key>} and nothing else.',
  );
}
