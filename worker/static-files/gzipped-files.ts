/**
 * Files of the page, compressed once. Compressing the page's script takes 20 ms, in which a relay serves nobody else, and anybody may
 * ask for it. The files are those of a list, so what is kept is no more than the page.
 */
export class GzippedFiles {
  readonly #files = new Map<string, Promise<ArrayBuffer | null>>();

  /** `name` changes when the content does. Null when there is no such file, which is not kept. */
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
