/** Tells the relay of this browser's subscription, with the page's login. */
import * as v from 'valibot';
import { errorReplySchema } from '../../../protocol/error-reply.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';
import type { PushRelay } from './push-switch.ts';

const keySchema = v.object({ key: v.string() });
const subscribedSchema = v.object({ id: v.string() });

const UNREACHABLE = 'The relay cannot be reached. Try again later.';

export function relayPush(relay: URL, workspace: string): PushRelay {
  const at = (path: string) => new URL(`/api/workspaces/${workspace}/push/${path}`, relay);
  return {
    key: async () => (await ask(at('key'), {}, keySchema)).key,
    subscribe: async ({ endpoint, keys }, muted) => {
      const body = JSON.stringify({ endpoint, keys, muted });
      const headers = { 'Content-Type': 'application/json' };
      return (await ask(at('subscriptions'), { method: 'POST', headers, body }, subscribedSchema)).id;
    },
    unsubscribe: async (id) =>
      void (await fetch(at(`subscriptions/${encodeURIComponent(id)}`), { method: 'DELETE' })),
  };
}

/** Throws an error whose message is for people. */
async function ask<S extends v.GenericSchema>(
  url: URL,
  request: RequestInit,
  schema: S,
): Promise<v.InferOutput<S>> {
  const answer = await fetch(url, request).catch(() => null);
  const json: unknown = await answer?.json().catch(() => null);
  const refusal = v.safeParse(errorReplySchema, json);
  if (refusal.success) throw new Error(printable(refusal.output.error.message, SENTENCE_MAX_CHARS));
  const read = v.safeParse(schema, json);
  if (answer?.ok !== true || !read.success) throw new Error(UNREACHABLE);
  return read.output;
}
