/**
 * What the router is given of a request's address: its path as it was sent, without a slash at the end, decoded. A path
 * that is longer than any of ours is not looked at: finding a route for it would cost anybody's time, without a credential.
 */
import { getPathNoStrict } from 'hono/utils/url';
import { URL_PATH_MAX_CHARS } from '../../protocol/limits.ts';

/** Stands for all of them; nothing is declared there. */
export const TOO_LONG = '/a-path-that-is-too-long';

export function routePath(request: Request): string {
  return pathChars(request.url) > URL_PATH_MAX_CHARS ? TOO_LONG : getPathNoStrict(request);
}

function pathChars(url: string): number {
  const begin = url.indexOf('/', url.indexOf(':') + 3);
  const query = url.indexOf('?', begin);
  return (query < 0 ? url.length : query) - begin;
}
