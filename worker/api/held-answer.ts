/**
 * A large answer in JSON, written piece by piece as its reader takes it. What it holds meanwhile is on an account of
 * answer-budget.ts.
 */
import type { Context } from 'hono';
import type { App } from '../http.ts';
import { answerBody } from './answer-body.ts';
import { onGivenUp } from './object-socket.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** JSON in pieces. `closed` is called when the answer was taken or given up, perhaps more than once. */
export function heldAnswer(c: Context<App>, pieces: Iterator<Bytes>, closed: () => void): Response {
  onGivenUp(c, closed);
  c.header('Content-Type', 'application/json');
  const next = () => {
    const { done, value } = pieces.next();
    return done ? undefined : value;
  };
  return c.body(answerBody({ next, left: closed }));
}

/** About as much as is written at once. */
const PIECE_BYTES = 64 * 1024;

const encoder = new TextEncoder();
const encode = (text: string) => encoder.encode(text) as Bytes;

/** A JSON object with one long text in it, of UTF-8 that is cut anywhere: it never is one string. */
export function* jsonWithText(
  name: string,
  pieces: Iterable<Bytes>,
  more: Readonly<Record<string, unknown>>,
): Generator<Bytes> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: false });
  let waiting = `{${JSON.stringify(name)}:"`;
  for (const piece of pieces) {
    waiting += escaped(decoder.decode(piece, { stream: true }));
    if (waiting.length < PIECE_BYTES) continue;
    yield encode(waiting);
    waiting = '';
  }
  yield encode(`${waiting}${escaped(decoder.decode())}",${JSON.stringify(more).slice(1)}`);
}

/** As it stands between the quotes of a JSON string. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

export function* inPieces(bytes: Bytes): Generator<Bytes> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
