/** Reads request bodies with a limit on size and time. A refused body is neither kept nor waited for. */

import { BODIES_PER_S_MAX_BYTES } from '../../protocol/limits.ts';
import { SharedWork, WorkShare } from '../metering/shared-work.ts';
import { joinBytes } from '../platform/join-bytes.ts';
import { workerClock } from '../platform/worker-clock.ts';
import { ApiError } from './api-error.ts';

/**
 * The largest allowed body takes one second on a slow line. A client that needs ten holds the request open on purpose.
 */
const BODY_WITHIN_MS = 10_000;

/**
 * A body that is too large is still read to its end and discarded: a client that is still sending when the answer
 * arrives loses it with the connection. Beyond this size the relay stops reading.
 */
const DRAIN_MAX_BYTES = 32 * 1024 * 1024;

/** The same limit for a client without a valid credential. */
const STRANGER_DRAIN_MAX_BYTES = 1024 * 1024;

/** Most bodies are a few words; those are not rate-limited. */
const SMALL_BODY_BYTES = 4096;

/** Larger bodies share one rate per isolate, so that a client on a fast network cannot monopolise it. */
const bodies = new SharedWork({ slice: 64 * 1024, perSecond: BODIES_PER_S_MAX_BYTES });

/** Bodies of clients without a valid credential share a rate of their own, so that they delay nobody else's. */
const strangersBodies = new SharedWork({ slice: 64 * 1024, perSecond: BODIES_PER_S_MAX_BYTES / 4 });

/** Up to which size a body is read, and at whose rate. */
interface Reading {
  readonly drainMaxBytes: number;
  readonly work: SharedWork;
}

const KNOWN: Reading = { drainMaxBytes: DRAIN_MAX_BYTES, work: bodies };
const STRANGER: Reading = { drainMaxBytes: STRANGER_DRAIN_MAX_BYTES, work: strangersBodies };

export async function readBody(
  request: Request,
  maxBytes: number,
  { drainMaxBytes, work }: Reading = KNOWN,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('Content-Length') ?? 0) > drainMaxBytes) throw tooLarge(maxBytes);
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array(0);
  const isSmall =
    Number(request.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY) <= SMALL_BODY_BYTES;
  const share = new WorkShare(work, workerClock);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), BODY_WITHIN_MS);
  try {
    for (;;) {
      const step = await Promise.race([reader.read(), late.promise]);
      if (step === 'late') throw tooSlow();
      if (bytes > (step.done ? maxBytes : drainMaxBytes)) throw tooLarge(maxBytes);
      if (step.done) return joinBytes(chunks);
      bytes += step.value.length;
      if (!isSmall) await share.spent(step.value.length);
      if (bytes <= maxBytes) chunks.push(step.value);
      else chunks.length = 0;
    }
  } finally {
    clearTimeout(timer);
    share.rest();
    // Discards the rest. Harmless if the end was reached.
    void reader.cancel().catch(() => {});
  }
}

/**
 * Reads and discards an unread body, because answering first would reset the connection under the answer. `isKnown`:
 * the sender has a valid credential.
 */
export async function drainBody(request: Request, isKnown: boolean): Promise<void> {
  if (request.bodyUsed) return;
  await readBody(request, 0, isKnown ? KNOWN : STRANGER).catch(() => {});
}

const tooSlow = () =>
  new ApiError(
    408,
    'body_timeout',
    `The body did not arrive within ${BODY_WITHIN_MS / 1000} s. Send it again.`,
  );

const tooLarge = (maxBytes: number) =>
  new ApiError(413, 'too_large', `The body is limited to ${maxBytes} bytes here. Send it in parts.`);
