/** Asks the HTTP API for what the WebSocket protocol has no message for. */
import { errorSentence } from '../../protocol/error-reply.ts';
import { SENTENCE_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import type { ClientSettings } from './client-settings.ts';

/** Long enough for a relay that restarts. */
const ANSWER_WITHIN_MS = 10_000;

/** Far above any answer a Holdfast relay sends. */
export const ANSWER_MAX_BYTES = 8 * 1024 * 1024;

export type ApiRequest = (path: string, method?: RelayRequest['method'], body?: unknown) => Promise<unknown>;

/**
 * Returns a function that asks for a path below the workspace. It rejects with the message to show and the exit code.
 * An answer that is no JSON is null.
 */
export function apiRequest({ relay, workspace, readToken }: ClientSettings): ApiRequest {
  return async (path, method = 'GET', body) => {
    const reading = readToken();
    if (!reading.ok) throw new CommandError(EXIT.notAllowed, reading.why);
    const authorization = `Bearer ${reading.token}`;
    return askRelay(relay, `/api/workspaces/${workspace}/${path}`, { method, authorization, body });
  };
}

interface RelayRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly authorization: string;
  readonly body?: unknown;
}

/** One request to any path of a relay, with the same answers and errors. */
export async function askRelay(relay: URL, path: string, request: RelayRequest): Promise<unknown> {
  const { method, authorization, body: sent } = request;
  const response = await fetch(new URL(path, relay), {
    method,
    headers: { Authorization: authorization },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    redirect: 'error',
  }).catch((error: Error) => {
    throw new CommandError(EXIT.unavailable, outOfReach(relay, error));
  });
  const body = await boundedJson(response, relay, ANSWER_MAX_BYTES);
  if (response.ok) return body;
  throw new CommandError(
    exitCodeOf(response.status),
    printable(errorSentence(body) ?? notARelay(relay, response.status), SENTENCE_MAX_CHARS),
  );
}

/** Every error of a relay is a sentence; something else answers there. */
const notARelay = (relay: URL, status: number) =>
  `${relay.origin} answered ${status} without a reason; check that it is the address of a Holdfast relay of this version`;

/** Null if it is no JSON. */
export async function boundedJson(response: Response, relay: URL, maxBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new CommandError(EXIT.failed, `the relay at ${relay.origin} answered with too much`);
      chunks.push(chunk);
    }
  } catch (error) {
    // The connection was lost, or the answer took too long.
    if (error instanceof CommandError) throw error;
    throw new CommandError(EXIT.unavailable, outOfReach(relay, error as Error));
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.notAllowed;
  return status >= 500 ? EXIT.unavailable : EXIT.failed;
}

function outOfReach(relay: URL, error: Error): string {
  const cause = error.cause instanceof Error ? error.cause.message : error.message;
  return `the relay at ${relay.origin} cannot be reached (${cause}); check the address and the network`;
}
