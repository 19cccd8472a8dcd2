/** Undoes raw deflate with what the browser has. */
export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const inflated = new Response(readable).arrayBuffer();
  // Written by hand: a Blob's stream comes by way of another process, and a screen waits for it.
  const writer = writable.getWriter();
  await Promise.all([writer.write(bytes), writer.close(), inflated]);
  return new Uint8Array(await inflated);
}
