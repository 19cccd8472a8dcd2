/**
 * Serves the page's files when the relay runs on plain workerd. On Cloudflare the platform does this; on workerd this
 * small Worker is behind the same `ASSETS` binding.
 *
 * Only files on a list are served. The list is made when the relay starts, and no other path reaches the disk.
 */
import { SharedWork, WorkShare } from '../metering/shared-work.ts';
import { workerClock } from '../platform/worker-clock.ts';
import { acceptsGzip } from './accepts-gzip.ts';
import { GzippedFiles } from './gzipped-files.ts';
import { headersFor, parseHeaderRules } from './header-rules.ts';
import { isCompressible, mediaTypeOf } from './media-types.ts';

/** The bindings, as cli/relay/workerd-config.ts writes them. */
interface StaticFilesEnv {
  /** A disk service: it returns bytes and knows nothing about media types. */
  readonly DISK: { fetch(url: URL): Promise<Response> };
  /** By path from the site's root: a tag that changes with the content. */
  readonly ETAGS: Readonly<Record<string, string>>;
  /** The content of the page's `_headers` file. */
  readonly HEADERS: string;
}

/** A file whose name does not change with its content is revalidated on every use. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

/** Headers of every answer, the same as in worker/http/response-headers.ts. */
const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

const NOT_CACHED = { 'Cache-Control': 'no-store', ...ALWAYS };

const gzipped = new GzippedFiles();

/** All answers share one rate, because no credential is needed; a hundred visits a second need no more. */
const sending = new SharedWork({ slice: 256 * 1024, perSecond: 32 * 1024 * 1024 });

const EVERYBODY = 'everybody';

/** Beyond this wait a file is refused. Requests that were given up unnoticed delay a visitor by no more. */
const WAIT_MAX_MS = 5_000;
const BUSY = { ...NOT_CACHED, 'Retry-After': '5' };

/** False when too many wait for files. */
async function paced(request: Request, bytes: number): Promise<boolean> {
  if (sending.lineMs(EVERYBODY, workerClock.now()) > WAIT_MAX_MS) return false;
  const share = new WorkShare(sending, EVERYBODY, workerClock);
  const { signal } = request;
  const abandon = () => share.abandon();
  signal.addEventListener('abort', abandon);
  await share.begin();
  await share.spent(bytes);
  share.rest();
  signal.removeEventListener('abort', abandon);
  return true;
}

export default {
  async fetch(request: Request, { DISK, ETAGS, HEADERS }: StaticFilesEnv): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response(null, { status: 405, headers: { ...NOT_CACHED, Allow: 'GET, HEAD' } });
    }
    const { pathname } = new URL(request.url);
    const path = plainPath(pathname);
    const etag = path !== null && Object.hasOwn(ETAGS, path) ? ETAGS[path] : undefined;
    if (path === null || etag === undefined) return new Response(null, { status: 404, headers: NOT_CACHED });
    if (path !== pathname) {
      return new Response(null, { status: 307, headers: { ...NOT_CACHED, Location: path } });
    }
    const headers = headersOf(request, path, `"${etag}"`, HEADERS);
    if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers });
    if (request.method === 'HEAD') return new Response(null, { headers });
    const file = () => DISK.fetch(new URL(path, 'http://disk'));
    if (headers.has('Content-Encoding')) {
      const bytes = await gzipped.of(`${path} ${etag}`, file);
      if (bytes !== null) {
        if (!(await paced(request, bytes.byteLength)))
          return new Response(null, { status: 503, headers: BUSY });
        return new Response(bytes, { headers, encodeBody: 'manual' });
      }
    } else {
      const { ok, body, headers: found } = await file();
      if (ok) {
        const length = Number(found.get('Content-Length') ?? 0);
        if (!(await paced(request, length))) return new Response(null, { status: 503, headers: BUSY });
        return new Response(body, { headers });
      }
    }
    return new Response(null, { status: 404, headers: NOT_CACHED });
  },
};

/** The path with escapes decoded and double slashes joined; null when its escapes are invalid. */
function plainPath(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname).replace(/\/{2,}/g, '/');
  } catch {
    return null;
  }
}

function headersOf(request: Request, path: string, etag: string, rules: string): Headers {
  const mediaType = mediaTypeOf(path);
  const headers = headersFor(path, parseHeaderRules(rules));
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', REVALIDATE);
  headers.set('Content-Type', mediaType);
  headers.set('ETag', etag);
  for (const [name, value] of Object.entries(ALWAYS)) headers.set(name, value);
  if (!isCompressible(mediaType)) return headers;
  headers.set('Vary', 'Accept-Encoding');
  if (acceptsGzip(request.headers.get('Accept-Encoding') ?? '')) headers.set('Content-Encoding', 'gzip');
  return headers;
}

function isUnchanged(request: Request, etag: string): boolean {
  const known = (request.headers.get('If-None-Match') ?? '').split(',');
  return known.some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`);
}
