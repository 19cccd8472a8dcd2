/** The routes of share links. */
import { madeLinkSchema, shareLinksSchema, wantedLinkSchema } from '../../protocol/share-link.ts';
import { operatorsAndOwner } from '../gate/passage.ts';
import { listShareLinks, makeShareLink, revokeShareLink } from '../http/share-links.ts';
import { type DocumentedRoute, missing, route } from './documented-route.ts';
import * as schemas from './request/schemas.ts';

const links = '/api/workspaces/:ws/share-links';

export const shareRoutes: readonly DocumentedRoute[] = [
  route('GET', links, operatorsAndOwner, listShareLinks, {
    operationId: 'listShareLinks',
    summary: 'The share links that are valid; also while the machine is offline.',
    answers: { 200: ['The links.', shareLinksSchema] },
  }),
  // Cookies are not accepted here: a stolen one could otherwise be made to last.
  route('POST', links, { roles: ['operator'], credentials: ['bearer', 'renewal', 'owner'] }, makeShareLink, {
    operationId: 'makeShareLink',
    summary: 'Makes a link that shows one session or all to whoever opens it.',
    description: 'The cookie of the page is not accepted; the page proves its key, as for a renewal.',
    body: wantedLinkSchema,
    answers: {
      201: ['The link.', madeLinkSchema],
      404: missing,
      409: ['There are too many links.', schemas.errorSchema],
    },
  }),
  route('DELETE', `${links}/:link`, operatorsAndOwner, revokeShareLink, {
    operationId: 'revokeShareLink',
    summary: 'Revokes a link: closes what it has opened, and refuses whatever it was traded for.',
    answers: { 204: ['Revoked.'], 404: ['There is no such link.', schemas.errorSchema] },
  }),
];
