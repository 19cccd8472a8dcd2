/** Reads request bodies with a limit on size and time. A refused body is neither kept nor waited for. */

import { BODIES_PER_S_MAX_BYTES, BODY_PIECE_MIN_BYTES } from '../../protocol/limits.ts';
import { FairShares } from '../metering/fair-shares.ts';
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

/** Most bodies are a few words; those are not rate-limited, unless they arrive in many pieces. */
const SMALL_BODY_BYTES = 4096;
const SMALL_BODY_PIECES = 16;

/**
 * Larger bodies share one rate per isolate, so that a client on a fast network cannot monopolise it, and workspaces that
 * send at the same time have equal parts of it.
 */
const bodies = new FairShares(BODIES_PER_S_MAX_BYTES);

/** Bodies of clients without a valid credential share a rate of their own, so that they delay nobody else's. */
const strangersBodies = new FairShares(BODIES_PER_S_MAX_BYTES / 4);
const STRANGERS = 'strangers';

/** Beyond this wait a stranger's body is not read any further. The sender may lose the answer, which refuses it anyway. */
const STRANGER_WAIT_MAX_MS = 250;
const STRANGERS_AHEAD_MAX_BYTES = (BODIES_PER_S_MAX_BYTES / 4) * (STRANGER_WAIT_MAX_MS / 1000);

/** A shorter wait is not worth a timer; it is part of the next one. */
const WAIT_MIN_MS = 8;

/** The workspace of whoever sends a body; null without a valid credential. */
type Sender = string | null;

export async function readBody(
  request: Request,
  maxBytes: number,
  sender: Sender,
): Promise<Uint8Array<ArrayBuffer>> {
  const drainMaxBytes = sender === null ? STRANGER_DRAIN_MAX_BYTES : DRAIN_MAX_BYTES;
  if (Number(request.headers.get('Content-Length') ?? 0) > drainMaxBytes) throw tooLarge(maxBytes);
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array(0);
  const isSmall =
    Number(request.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY) <= SMALL_BODY_BYTES;
  const body = new CollectedBytes();
  let bytes = 0;
  let pieces = 0;
  let isLate = false;
  let tellLate = () => {};
  const timer = setTimeout(() => {
    isLate = true;
    tellLate();
  }, BODY_WITHIN_MS);
  // Not a race with one promise for the whole body: that promise would keep every piece until the end.
  const nextStep = () =>
    new Promise<Awaited<ReturnType<typeof reader.read>> | 'late'>((resolve, reject) => {
      tellLate = () => resolve('late');
      reader.read().then(resolve, reject);
    });
  try {
    for (;;) {
      const step = await nextStep();
      if (step === 'late' || isLate) throw tooSlow();
      if (bytes > (step.done ? maxBytes : drainMaxBytes)) throw tooLarge(maxBytes);
      if (step.done) return body.bytes;
      bytes += step.value.length;
      pieces++;
      if (!isSmall || pieces > SMALL_BODY_PIECES) await paced(sender, step.value.length);
      if (bytes <= maxBytes) body.add(step.value);
      else body.clear();
    }
  } finally {
    clearTimeout(timer);
    // Discards the rest. Harmless if the end was reached.
    void reader.cancel().catch(() => {});
  }
}

/** Collects pieces by copying them: the runtime holds 4 KiB for each piece, however short it is. */
class CollectedBytes {
  #held = new Uint8Array(0);
  #length = 0;

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#held.subarray(0, this.#length);
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#held.length));
      larger.set(this.bytes);
      this.#held = larger;
    }
    this.#held.set(piece, this.#length);
    this.#length = length;
  }

  clear(): void {
    this.#held = new Uint8Array(0);
    this.#length = 0;
  }
}

async function paced(sender: Sender, pieceBytes: number): Promise<void> {
  if (sender === null && areStrangersTooMany()) throw tooSlow();
  const now = workerClock.now();
  const bytes = Math.max(pieceBytes, BODY_PIECE_MIN_BYTES);
  const waitMs =
    sender === null ? strangersBodies.take(STRANGERS, bytes, now) : bodies.take(sender, bytes, now);
  if (waitMs > WAIT_MIN_MS) await new Promise<void>((resolve) => void workerClock.after(waitMs, resolve));
}

const areStrangersTooMany = (): boolean =>
  strangersBodies.ahead(STRANGERS, workerClock.now()) > STRANGERS_AHEAD_MAX_BYTES;

/** Reads and discards an unread body, because answering first would reset the connection under the answer. */
export async function drainBody(request: Request, sender: Sender): Promise<void> {
  if (request.bodyUsed) return;
  if (sender === null && areStrangersTooMany()) return;
  await readBody(request, 0, sender).catch(() => {});
}

const tooSlow = () =>
  new ApiError(
    408,
    'body_timeout',
    `The body did not arrive within ${BODY_WITHIN_MS / 1000} s. Send it again.`,
  );

const tooLarge = (maxBytes: number) =>
  new ApiError(413, 'too_large', `The body is limited to ${maxBytes} bytes here. Send it in parts.`);
