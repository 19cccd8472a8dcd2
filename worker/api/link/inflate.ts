/**
 * Inflates raw deflate with the runtime's own stream, up to a size limit and at a rate that all workspaces share.
 * workerd's stream accepts any number of writes before anything is read, so after each slice the code yields to the
 * event loop and lets the reader catch up.
 */

import type { Context } from 'hono';
import { type InflateOptions, type Inflater, inflatedPieces } from '../../../client/bounded-inflate.ts';
import { joinBytes } from '../../../protocol/join-bytes.ts';
import { INFLATED_PER_S_MAX_BYTES, INFLATED_SLICE_MAX_BYTES } from '../../../protocol/limits.ts';
import { type App, sharerOf } from '../../http/http.ts';
import { SharedWork, WorkShare } from '../../metering/shared-work.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import type { AnswerAccount } from './answer-budget.ts';
import { onGivenUp } from './object-socket.ts';

/** One rate for the isolate. */
const inflating = new SharedWork({ slice: INFLATED_SLICE_MAX_BYTES, perSecond: INFLATED_PER_S_MAX_BYTES });

const settled = () => new Promise<void>((resolve) => void workerClock.after(0, resolve));

function inflater(): Inflater {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  return { reader: readable.getReader(), writer: writable.getWriter() };
}

/** Inflates everything; the result is charged to `account`. */
export async function inflateOnAccount(
  c: Context<App>,
  bytes: Uint8Array<ArrayBuffer>,
  account?: AnswerAccount,
): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length === 0) return bytes;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of inflatePieces(c, [bytes])) {
    account?.hold(piece.length);
    pieces.push(piece);
  }
  return joinBytes(pieces);
}

/** Inflates piece by piece, for callers that only count or forward the bytes. */
export async function* inflatePieces(
  c: Context<App>,
  pieces: readonly Uint8Array<ArrayBuffer>[],
  options: InflateOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (pieces.length === 0) return;
  const share = new WorkShare(inflating, sharerOf(c.var.principal), workerClock);
  const stopListening = onGivenUp(c, () => share.abandon());
  let bytes = 0;
  const paced = async () => {
    await settled();
    const cost = bytes;
    bytes = 0;
    await share.spent(cost);
  };
  try {
    await share.begin();
    for await (const piece of inflatedPieces(inflater(), pieces, { settled: paced, ...options })) {
      bytes += piece.length;
      yield piece;
    }
  } finally {
    stopListening();
    share.rest();
  }
}
