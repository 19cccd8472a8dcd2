/** The routes with which browsers subscribe to pushes. */
import { people } from '../gate/passage.ts';
import { type DocumentedRoute, route } from './documented-route.ts';
import { showPushKey, subscribeToPushes, unsubscribeFromPushes } from './push.ts';
import * as schemas from './request/schemas.ts';

const push = '/api/workspaces/:ws/push';

export const pushRoutes: readonly DocumentedRoute[] = [
  route('GET', `${push}/key`, people, showPushKey, {
    operationId: 'showPushKey',
    summary: 'The key with which a browser subscribes to pushes of this workspace (`applicationServerKey`).',
    answers: { 200: ['The public key, as base64url.', schemas.pushKeySchema] },
  }),
  route('POST', `${push}/subscriptions`, people, subscribeToPushes, {
    operationId: 'subscribeToPushes',
    summary: "Tells a browser when a session wants attention, for as long as the caller's token is valid.",
    description:
      'The body is what `PushSubscription.toJSON()` returns, and the sessions to leave out. Sent again, it replaces what was sent before.',
    body: schemas.subscriptionSchema,
    answers: {
      201: ['Subscribed.', schemas.subscribedSchema],
      409: ["There are too many subscriptions, or this one is somebody else's.", schemas.errorSchema],
      422: ['Its push service is not one that this relay uses.', schemas.errorSchema],
    },
  }),
  route('DELETE', `${push}/subscriptions/:subscription`, people, unsubscribeFromPushes, {
    operationId: 'unsubscribeFromPushes',
    summary: "Removes one of the caller's subscriptions.",
    answers: { 204: ['Removed.'], 404: ['The caller has no such subscription.', schemas.errorSchema] },
  }),
];
