/**
 * Undoes raw deflate with what the runtime has, up to a limit and at a pace that all requests share. workerd's stream
 * takes any number of writes before anything is read of it, so each slice is followed by a turn of the event loop in
 * which its reader catches up.
 */

import { type InflateOptions, type Inflater, inflatedPieces } from '../../../client/bounded-inflate.ts';
import { INFLATED_PER_S_MAX_BYTES, INFLATED_SLICE_MAX_BYTES } from '../../../protocol/limits.ts';
import { SharedWork, WorkShare } from '../../metering/shared-work.ts';
import { joinBytes } from '../../platform/join-bytes.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import type { AnswerAccount } from './answer-budget.ts';

/** Of this isolate. */
const inflating = new SharedWork({ slice: INFLATED_SLICE_MAX_BYTES, perSecond: INFLATED_PER_S_MAX_BYTES });

const settled = () => new Promise<void>((resolve) => void workerClock.after(0, resolve));

function inflater(): Inflater {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  return { reader: readable.getReader(), writer: writable.getWriter() };
}

/** All of it, which is held on `account`. */
export async function inflateOnAccount(
  bytes: Uint8Array<ArrayBuffer>,
  account?: AnswerAccount,
): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length === 0) return bytes;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of inflatePieces([bytes])) {
    account?.hold(piece.length);
    pieces.push(piece);
  }
  return joinBytes(pieces);
}

/** Piece by piece, for whoever counts or passes on. */
export async function* inflatePieces(
  pieces: readonly Uint8Array<ArrayBuffer>[],
  options: InflateOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (pieces.length === 0) return;
  const share = new WorkShare(inflating, workerClock);
  let bytes = 0;
  const paced = async () => {
    await settled();
    const cost = bytes;
    bytes = 0;
    await share.spent(cost);
  };
  await share.begin();
  try {
    for await (const piece of inflatedPieces(inflater(), pieces, { settled: paced, ...options })) {
      bytes += piece.length;
      yield piece;
    }
  } finally {
    share.rest();
  }
}
