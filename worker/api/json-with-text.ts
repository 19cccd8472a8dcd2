/**
 * A JSON object with one long text in it, written piece by piece: neither the text nor the answer is ever one string.
 * Pieces are made as the reader takes them, and given up when it takes none for too long.
 */
import type { Context } from 'hono';
import { READER_STALLED_MS } from '../../protocol/limits.ts';
import type { App } from '../http.ts';
import { workerClock } from './worker-clock.ts';

export interface LongText {
  readonly name: string;
  /** UTF-8, cut anywhere. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** `closed` is called when the answer was taken or given up, perhaps in both ways. */
export function jsonWithText(
  c: Context<App>,
  text: LongText,
  more: Readonly<Record<string, unknown>>,
  closed: () => void,
): Response {
  const written = jsonPieces(text, more);
  let stopWaiting = () => {};
  const close = () => {
    stopWaiting();
    closed();
  };
  const wait = (controller: ReadableStreamDefaultController) => {
    stopWaiting = workerClock.after(READER_STALLED_MS, () => {
      close();
      controller.error(new Error('the reader has stalled'));
    });
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: wait,
      pull(controller) {
        stopWaiting();
        const { done, value } = written.next();
        if (!done) {
          controller.enqueue(value);
          return wait(controller);
        }
        close();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  c.req.raw.signal.addEventListener('abort', close);
  c.header('Content-Type', 'application/json');
  return c.body(body);
}

/** About as much as is written at once. */
const PIECE_BYTES = 64 * 1024;

function* jsonPieces(
  { name, pieces }: LongText,
  more: Readonly<Record<string, unknown>>,
): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: false });
  const rest = JSON.stringify(more).slice(1);
  let waiting = `{${JSON.stringify(name)}:"`;
  for (const piece of pieces) {
    waiting += escaped(decoder.decode(piece, { stream: true }));
    if (waiting.length < PIECE_BYTES) continue;
    yield encoder.encode(waiting) as Uint8Array<ArrayBuffer>;
    waiting = '';
  }
  yield encoder.encode(`${waiting}${escaped(decoder.decode())}",${rest}`) as Uint8Array<ArrayBuffer>;
}

/** As it stands between the quotes of a JSON string. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
