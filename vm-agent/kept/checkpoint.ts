/** A session's screen at an offset, as it is left with the keeper for the next agent process. */
import type { Size } from '../../protocol/frame.ts';

export interface Checkpoint {
  readonly offset: number;
  readonly size: Size;
  /** Raw deflate of output that draws the screen on a blank terminal of this size. */
  readonly deflated: Uint8Array;
}

const NEWLINE = 0x0a;

export function encodeCheckpoint({ offset, size, deflated }: Checkpoint): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ offset, size })}\n`), deflated]);
}

export function decodeCheckpoint(blob: Buffer): Checkpoint {
  const end = blob.indexOf(NEWLINE);
  const { offset, size } = JSON.parse(blob.toString('utf8', 0, end));
  return { offset, size, deflated: blob.subarray(end + 1) };
}
