/** Lists the files of the built page with their hashes, for the Worker that serves them (worker/static-files). */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export interface PageFiles {
  /** By path from the root of the site: the hash of the content. */
  readonly etags: Readonly<Record<string, string>>;
  /** The content of `_headers`, which worker/static-files reads. */
  readonly headers: string;
}

/** Extra headers for the files beside it; itself never served. */
const HEADERS_FILE = '_headers';

/** Hex digits of SHA-256 that tell two versions of a file apart. */
const ETAG_CHARS = 32;

export async function listPageFiles(directory: string): Promise<PageFiles> {
  const etags: Record<string, string> = {};
  let headers = '';
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(directory, file).split(sep).join('/')}`;
    const content = await readFile(file);
    if (path === `/${HEADERS_FILE}`) headers = content.toString('utf8');
    else etags[path] = createHash('sha256').update(content).digest('hex').slice(0, ETAG_CHARS);
  }
  return { etags, headers };
}
