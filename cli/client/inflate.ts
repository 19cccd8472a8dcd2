/** Decompresses raw deflate with Node's zlib, up to the maximum size of a snapshot. */
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { InflatedTooLarge } from '../../client/bounded-inflate.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { SNAPSHOT_INFLATED_MAX_BYTES } from '../../protocol/limits.ts';

const inflateAll = promisify(inflateRaw);

export async function inflateInNode(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await inflateAll(bytes, { maxOutputLength: SNAPSHOT_INFLATED_MAX_BYTES }));
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) throw new InflatedTooLarge(SNAPSHOT_INFLATED_MAX_BYTES);
    throw new ProtocolError('a snapshot that cannot be inflated');
  }
}
