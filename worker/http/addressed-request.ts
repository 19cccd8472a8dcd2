/**
 * Gives a request its address on a self-hosted relay. There the runtime passes on what stands in the request line (a
 * path) and in the Host header, instead of making an address of them: it would answer requests without a Host itself, as
 * fast as they come, and look at no other connection meanwhile. So everybody is seen, and paced, by code of the relay.
 */
import { URL_PATH_MAX_CHARS } from '../../protocol/limits.ts';
import { TOO_LONG } from './route-path.ts';

/** A name or an address, with or without a port. Nothing that would begin a path, or end a user's name. */
const HOST = /^[\w.~%!$&'()*+,;=[\]:-]+$/;

/** Stands for a missing Host where the request line has an address of its own, which is not to be believed. */
const NO_HOST = 'host.invalid';

/** `scheme` is undefined where the runtime has given the address. Without a usable Host, a path stays what it is. */
export function addressed(request: Request, scheme: string | undefined): Request {
  if (scheme === undefined) return request;
  const given = request.headers.get('Host') ?? '';
  const host = HOST.test(given) && URL.canParse(`${scheme}://${given}/`) ? given : null;
  if (host === null && !URL.canParse(request.url)) return request;
  return new Request(`${scheme}://${host ?? NO_HOST}${pathOf(request.url)}`, request);
}

/** A request line with a whole address, as proxies get one, is a path that does not exist. */
function pathOf(line: string): string {
  const path = line.startsWith('/') ? line : `/${line}`;
  const query = path.indexOf('?');
  return (query < 0 ? path.length : query) > URL_PATH_MAX_CHARS ? TOO_LONG : path;
}
