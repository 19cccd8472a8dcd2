/** Lists the files of the built page with their ETags, for the Worker that serves them (worker/static-files). */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export interface PageFiles {
  /** By path from the root of the site; an ETag changes when the content does. */
  readonly etags: Readonly<Record<string, string>>;
  /** The content of `_headers`, which worker/static-files reads. */
  readonly headers: string;
}

/** Extra headers for the files next to it; never served itself. */
const HEADERS_FILE = '_headers';

export async function listPageFiles(directory: string): Promise<PageFiles> {
  const etags: Record<string, string> = {};
  let headers = '';
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(directory, file).split(sep).join('/')}`;
    if (path === `/${HEADERS_FILE}`) headers = await readFile(file, 'utf8');
    else etags[path] = await etagOf(file);
  }
  return { etags, headers };
}

/** Made from size and modification time, as in nginx: reading every file would only slow down the start. */
async function etagOf(file: string): Promise<string> {
  const { mtimeMs, size } = await stat(file);
  return `${Math.round(mtimeMs).toString(16)}-${size.toString(16)}`;
}
