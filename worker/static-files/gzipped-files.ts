/**
 * Caches gzipped files of the page. Compressing the page's script takes 20 ms, during which the relay serves nobody
 * else, and anybody may request it. Only listed files are compressed, so the cache is no larger than the page.
 */
export class GzippedFiles {
  readonly #files = new Map<string, Promise<ArrayBuffer | null>>();

  /** `name` changes with the content. Null when there is no such file; that result is not cached. */
  of(name: string, read: () => Promise<Response>): Promise<ArrayBuffer | null> {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const made = compress(read).catch(() => null);
    this.#files.set(name, made);
    void made.then((bytes) => bytes === null && this.#files.delete(name));
    return made;
  }
}

async function compress(read: () => Promise<Response>): Promise<ArrayBuffer | null> {
  const { ok, body } = await read();
  if (!ok || body === null) return null;
  return new Response(body.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
}
