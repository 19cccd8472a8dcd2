/**
 * Writes a large JSON answer piece by piece as its reader takes it. The memory it holds meanwhile is charged to an
 * account of answer-budget.ts.
 */
import type { Context } from 'hono';
import type { App } from '../../http/http.ts';
import { type AnswerAccount, answerBudget } from '../link/answer-budget.ts';
import { onGivenUp } from '../link/object-socket.ts';
import { answerBody } from './answer-body.ts';
import { base64 } from './base64.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Opens the memory account of one answer. The caller must close it; it is also closed when the client aborts the
 * request, because the handler then runs no further.
 */
export function openAccount(c: Context<App>): AnswerAccount {
  const { workspace, caller } = c.var.principal;
  const account = answerBudget.open(workspace, caller.role === 'viewer');
  onGivenUp(c, () => account.close());
  return account;
}

/** A JSON response in pieces. `closed` is called when the response was read or aborted, perhaps more than once. */
export function heldAnswer(c: Context<App>, pieces: Iterator<Bytes>, closed: () => void): Response {
  onGivenUp(c, closed);
  c.header('Content-Type', 'application/json');
  const next = () => {
    const { done, value } = pieces.next();
    return done ? undefined : value;
  };
  return c.body(answerBody({ next, left: closed }));
}

/** The same for JSON that `compose` returns as one text. */
export async function heldJson(c: Context<App>, compose: () => Promise<string>): Promise<Response> {
  const account = openAccount(c);
  try {
    const bytes = encode(await compose());
    account.hold(bytes.length);
    return heldAnswer(c, inPieces(bytes), () => account.close());
  } catch (error) {
    account.close();
    throw error;
  }
}

/** Approximate size of one write. */
const PIECE_BYTES = 64 * 1024;

const encoder = new TextEncoder();
const encode = (text: string) => encoder.encode(text) as Bytes;

/**
 * A JSON object whose `data` is a long UTF-8 text. The input may be cut anywhere, and the text never becomes one
 * string.
 */
export function jsonWithData(
  pieces: Iterable<Bytes>,
  more: Readonly<Record<string, unknown>>,
  around: Around = NOTHING_AROUND,
): Generator<Bytes> {
  return jsonAround(asJsonText(pieces), more, around);
}

/** The same, with `data` as base64. */
export function jsonWithBase64(
  bytes: Bytes,
  more: Readonly<Record<string, unknown>>,
  around: Around = NOTHING_AROUND,
): Generator<Bytes> {
  return jsonAround(asBase64(bytes), more, around);
}

interface Around {
  readonly before: string;
  readonly after: string;
}

const NOTHING_AROUND: Around = { before: '', after: '' };

function* jsonAround(
  texts: Iterable<string>,
  more: Readonly<Record<string, unknown>>,
  { before, after }: Around,
): Generator<Bytes> {
  let waiting = `${before}{"data":"`;
  for (const text of texts) {
    waiting += text;
    if (waiting.length < PIECE_BYTES) continue;
    yield encode(waiting);
    waiting = '';
  }
  yield encode(`${waiting}",${JSON.stringify(more).slice(1)}${after}`);
}

/** Escapes text for the inside of a JSON string. */
function* asJsonText(pieces: Iterable<Bytes>): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: false });
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  for (const piece of pieces) yield escaped(decoder.decode(piece, { stream: true }));
  yield escaped(decoder.decode());
}

/** Three bytes become four characters, so pieces whose length is a multiple of three join without padding. */
function* asBase64(bytes: Bytes): Generator<string> {
  const length = PIECE_BYTES - (PIECE_BYTES % 3);
  for (let at = 0; at < bytes.length; at += length) yield base64(bytes.subarray(at, at + length));
}

export function* inPieces(bytes: Bytes): Generator<Bytes> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
