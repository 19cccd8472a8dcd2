/**
 * Subscribes browsers to pushes: to be told when a session wants attention while no page is open. A viewer may subscribe
 * too: it is told what it may list anyway, and its subscription is its own.
 */
import { ownAddress } from '../gate/own-address.ts';
import { ApiError } from '../http/api-error.ts';
import { gateSettings } from '../http/env.ts';
import { callWorkspace, failure, type Handler } from '../http/http.ts';
import { importPushKeys } from '../push/push-encryption.ts';
import { allowedEndpoint, readPushHosts } from '../push/push-hosts.ts';
import { shortDigest } from '../push/push-service.ts';
import { body } from './request/request.ts';
import { subscriptionSchema } from './request/schemas.ts';

export const showPushKey: Handler = async (c) =>
  c.json({ key: await callWorkspace(c, (object, caller) => object.pushKey(caller)) });

export const subscribeToPushes: Handler = async (c) => {
  const { endpoint, keys, muted } = await body(c, subscriptionSchema);
  if (allowedEndpoint(endpoint, readPushHosts(c.env.RELAY_PUSH_HOSTS)) === null)
    throw new ApiError(422, 'push_service', NOT_LISTED);
  if ((await importPushKeys(keys)) === null)
    throw new ApiError(400, 'bad_request', 'Bad request: keys in the body must be those of a browser.');
  const { origin } = ownAddress(c.req.url, gateSettings(c.env).publicUrl);
  const page = `${origin}/w/${c.var.principal.workspace}`;
  const id = await shortDigest(endpoint);
  const asked = { id, endpoint, ...keys, muted, page };
  const outcome = await callWorkspace(c, (object, caller) => object.subscribe(caller, asked));
  if (outcome === 'subscribed') return c.json({ id }, 201);
  throw new ApiError(409, 'push_limit', outcome === 'full' ? FULL : TAKEN);
};

const NOT_LISTED =
  'The relay sends nothing to this push service: RELAY_PUSH_HOSTS does not list it, or its address is not https.';
const FULL = 'This workspace has too many subscriptions. Remove some, then try again.';
const TAKEN = 'Somebody else has subscribed with this address and other keys.';

export const unsubscribeFromPushes: Handler = async (c) => {
  const id = c.req.param('subscription') ?? '';
  const wasOwn = await callWorkspace(c, (object, caller) => object.unsubscribe(caller, id));
  return wasOwn ? c.body(null, 204) : failure(c, 404, 'not_found', 'You have no such subscription.');
};
