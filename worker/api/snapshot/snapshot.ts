/** Answers a session's current screen: as terminal output, as text, or as HTML. */
import type { Context } from 'hono';
import { InflatedTooLarge } from '../../../client/bounded-inflate.ts';
import { NoAnswer } from '../../../client/requests/requests.ts';
import type { SearchedScreen } from '../../../client/text/output-search.ts';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import {
  QUEUED_ITEM_BYTES,
  SNAPSHOT_INFLATED_MAX_BYTES,
  SNAPSHOT_MAX_BYTES,
} from '../../../protocol/limits.ts';
import type { SnapshotFormat } from '../../../protocol/messages/message-parts.ts';
import type { ServerMessageOf } from '../../../protocol/messages/server-message.ts';
import { ApiError } from '../../http/api-error.ts';
import { type App, askerOf, type Handler } from '../../http/http.ts';
import { requestPace } from '../../metering/request-pace.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { heldAnswer, jsonWithData, openAccount } from '../answer/held-answer.ts';
import type { AnswerAccount } from '../link/answer-budget.ts';
import { inflatePieces } from '../link/inflate.ts';
import {
  ANSWER_WITHIN_MS,
  badAgent,
  noAnswerInTime,
  refusedError,
  withApiClient,
} from '../link/open-client.ts';
import { readInTurn } from '../link/viewer-reads.ts';
import { query, sessionId } from '../request/request.ts';
import { snapshotQuery } from '../request/schemas.ts';

/** A snapshot whose content is UTF-8, in pieces. */
interface Picture {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  readonly answer: ServerMessageOf<'snapshot_taken'>;
  /** What the account holds for it. */
  readonly heldBytes: number;
}

interface WantedSnapshot {
  readonly session: string;
  readonly format: SnapshotFormat;
  readonly scope: 'screen' | 'all';
  /** Only the output of the command with this number. */
  readonly command?: number;
}

export const showSnapshot: Handler = (c) =>
  answerSnapshot(c, { ...query(c, snapshotQuery), session: sessionId(c) });

export async function answerSnapshot(c: Context<App>, wanted: WantedSnapshot): Promise<Response> {
  const account = openAccount(c);
  try {
    const { pieces, answer } = await readInTurn(c, () =>
      withApiClient(c, {}, (client) => takeSnapshot(c, client, account, wanted)),
    );
    const { cols, rows, offset, linesAbove = 0, lost = 0, cursor } = answer;
    const cut = linesAbove + lost > 0 ? { truncated: true } : {};
    const place = cursor === undefined ? {} : { cursor };
    const written = jsonWithData(pieces, { cols, rows, offset, ...place, ...cut });
    return heldAnswer(c, written, () => account.close());
  } catch (error) {
    account.close();
    throw error;
  }
}

/** The visible screen as text, without the history above it. The caller releases what `account` holds for it. */
export async function takeScreen(
  c: Context<App>,
  client: WorkspaceClient,
  account: AnswerAccount,
  session: string,
): Promise<SearchedScreen> {
  const wanted = { session, format: 'text', scope: 'screen' } as const;
  const { pieces, answer, heldBytes } = await takeSnapshot(c, client, account, wanted);
  return { texts: { [Symbol.iterator]: () => decoded(pieces) }, offset: answer.offset, heldBytes };
}

/** The visible screen as text, in pieces of UTF-8, with its size and the cursor. */
export async function screenText(c: Context<App>, session: string) {
  const account = openAccount(c);
  try {
    const { pieces, answer } = await readInTurn(c, () =>
      withApiClient(c, {}, (client) =>
        takeSnapshot(c, client, account, { session, format: 'text', scope: 'screen' }),
      ),
    );
    const { cols, rows, offset, cursor } = answer;
    return {
      ...{ pieces, cols, rows, offset },
      ...(cursor === undefined ? {} : { cursor }),
    };
  } finally {
    account.close();
  }
}

/** One piece is text at a time, because a machine may send a screen of any length. */
function* decoded(pieces: readonly Uint8Array[]): Generator<string> {
  const decoder = new TextDecoder();
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
}

async function takeSnapshot(
  c: Context<App>,
  client: WorkspaceClient,
  account: AnswerAccount,
  { session, format, scope, command }: WantedSnapshot,
): Promise<Picture> {
  const packed: Uint8Array<ArrayBuffer>[] = [];
  let packedBytes = 0;
  try {
    const answer = await client.requests.ask(
      {
        ...{ type: 'take_snapshot', session, format },
        ...(scope === 'all' ? {} : { scope }),
        ...(command === undefined ? {} : { command }),
      },
      {
        withinMs: ANSWER_WITHIN_MS,
        announced: (bytes) => {
          if (bytes > SNAPSHOT_MAX_BYTES) throw tooLarge();
        },
        piece: (piece) => {
          // Only received bytes are charged, not announced ones. Each piece uses memory of its own, however short.
          const cost = piece.length + QUEUED_ITEM_BYTES;
          account.hold(cost);
          packedBytes += cost;
          packed.push(piece);
        },
      },
    );
    const pieces = await inflated(c, packed, account);
    account.release(packedBytes);
    return { pieces, answer, heldBytes: pieces.reduce((sum, { length }) => sum + length, 0) };
  } catch (error) {
    if (error instanceof NoAnswer)
      throw client.state.name === 'refused' ? refusedError(client.state) : noAnswerInTime();
    if (error instanceof InflatedTooLarge) throw tooLarge();
    throw error instanceof ProtocolError ? badAgent(`${error.message}.`) : error;
  }
}

async function inflated(
  c: Context<App>,
  pieces: readonly Uint8Array<ArrayBuffer>[],
  account: AnswerAccount,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const whole: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of inflatePieces(c, pieces)) {
    requestPace.charge(askerOf(c.var.principal), { inflatedBytes: piece.length }, workerClock.now());
    account.hold(piece.length);
    whole.push(piece);
  }
  return whole;
}

const tooLarge = () =>
  new ApiError(
    413,
    'snapshot_too_large',
    `This snapshot has over ${SNAPSHOT_INFLATED_MAX_BYTES} bytes. Ask with scope=screen, or with format=text.`,
  );
