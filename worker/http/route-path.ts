/**
 * The path that the router matches: as it was sent, without a trailing slash, decoded. A path longer than any of our
 * routes is not matched at all, because matching costs CPU time and needs no credential.
 */
import { getPathNoStrict } from 'hono/utils/url';
import { URL_PATH_MAX_CHARS } from '../../protocol/limits.ts';

/** Replaces every path that is too long; no route matches it. */
export const TOO_LONG = '/a-path-that-is-too-long';

export function routePath(request: Request): string {
  return pathChars(request.url) > URL_PATH_MAX_CHARS ? TOO_LONG : getPathNoStrict(request);
}

function pathChars(url: string): number {
  const begin = url.indexOf('/', url.indexOf(':') + 3);
  const query = url.indexOf('?', begin);
  return (query < 0 ? url.length : query) - begin;
}
