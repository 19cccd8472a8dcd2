import { encodeHeader, KEEPER_HEADER_BYTES, type KeeperHeader } from '../../../vm-agent/keeper/wire.ts';

/** A frame between keeper and agent, in an array of its own. */
export function frameBytes(header: KeeperHeader, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(KEEPER_HEADER_BYTES + payload.length);
  encodeHeader(header, payload.length, bytes, 0);
  bytes.set(payload, KEEPER_HEADER_BYTES);
  return bytes;
}
