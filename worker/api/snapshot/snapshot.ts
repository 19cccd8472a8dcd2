/** Answers a session's current screen: as terminal output, as text, or as HTML. */
import type { Context } from 'hono';
import { InflatedTooLarge } from '../../../client/bounded-inflate.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import type { Frame } from '../../../protocol/frame.ts';
import {
  SNAPSHOT_FRAME_WITHIN_MS,
  SNAPSHOT_INFLATED_MAX_BYTES,
  SNAPSHOT_MAX_BYTES,
} from '../../../protocol/limits.ts';
import type { ServerMessage, ServerMessageOf, SnapshotFormat } from '../../../protocol/messages.ts';
import { ApiError } from '../../http/api-error.ts';
import { type App, askerOf, type Handler } from '../../http/http.ts';
import { requestPace } from '../../metering/request-pace.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { heldAnswer, jsonWithData, openAccount } from '../answer/held-answer.ts';
import type { AnswerAccount } from '../link/answer-budget.ts';
import { inflatePieces } from '../link/inflate.ts';
import { type LinkEvents, NoAnswer, ObjectLink } from '../link/object-link.ts';
import { query, sessionId } from '../request/request.ts';
import { snapshotQuery } from '../request/schemas.ts';

/** A snapshot whose content is UTF-8, in pieces. */
interface Picture {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  readonly answer: ServerMessageOf<'snapshot_taken'>;
}

export const showSnapshot: Handler = async (c) => {
  const { format, scope } = query(c, snapshotQuery);
  const id = sessionId(c);
  const account = openAccount(c);
  try {
    const { pieces, answer } = await takeSnapshot(c, account, id, format, scope);
    const { cols, rows, offset, linesAbove } = answer;
    const cut = linesAbove === undefined || linesAbove === 0 ? {} : { truncated: true };
    const written = jsonWithData(pieces, { cols, rows, offset, ...cut });
    return heldAnswer(c, written, () => account.close());
  } catch (error) {
    account.close();
    throw error;
  }
};

/** The visible screen as text, without the history above it. */
export async function takeScreen(
  c: Context<App>,
  session: string,
): Promise<{ readonly text: string; readonly offset: number }> {
  const account = openAccount(c);
  try {
    const { pieces, answer } = await takeSnapshot(c, account, session, 'text', 'screen');
    const decoder = new TextDecoder();
    const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join('');
    return { text, offset: answer.offset };
  } finally {
    account.close();
  }
}

async function takeSnapshot(
  c: Context<App>,
  account: AnswerAccount,
  session: string,
  format: SnapshotFormat,
  scope: 'screen' | 'all',
): Promise<Picture> {
  const incoming = new IncomingPicture(account);
  const wanted = { session, format, ...(scope === 'all' ? {} : { scope }) };
  try {
    return await ObjectLink.use(c, incoming, async (link) => {
      const answer = await link.ask((request) => ({ type: 'take_snapshot', request, ...wanted }));
      if (answer.type !== 'snapshot_taken') throw new Error(`invariant: ${answer.type} was no answer`);
      return { pieces: await inflated(c, await incoming.whole, account), answer };
    });
  } catch (error) {
    if (error instanceof NoAnswer)
      throw new ApiError(504, 'timeout', 'The machine did not answer in time; try again.');
    if (error instanceof InflatedTooLarge) throw tooLarge();
    if (error instanceof ProtocolError)
      throw new ApiError(502, 'bad_agent', `The machine sent data that cannot be used: ${error.message}.`);
    throw error;
  }
}

async function inflated(
  c: Context<App>,
  pieces: readonly Uint8Array<ArrayBuffer>[],
  account: AnswerAccount,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const whole: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of inflatePieces(pieces)) {
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

/** Collects the frames that follow the answer, in order, and accepts no more bytes than announced. */
class IncomingPicture implements LinkEvents {
  readonly #account: AnswerAccount;
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  readonly #whole = Promise.withResolvers<readonly Uint8Array<ArrayBuffer>[]>();
  #announced: number | undefined;
  #received = 0;
  #stopWaiting: () => void = () => {};

  constructor(account: AnswerAccount) {
    this.#account = account;
    this.#whole.promise.catch(() => {}); // may reject while the answer is still awaited
  }

  get whole(): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    return this.#whole.promise;
  }

  message(message: ServerMessage): void {
    if (message.type !== 'snapshot_taken' || this.#announced !== undefined) return;
    this.#guarded(() => {
      if (message.bytes > SNAPSHOT_MAX_BYTES) throw tooLarge();
      this.#announced = message.bytes;
      this.#expectMore();
    });
  }

  frame({ kind, offset, payload }: Frame): void {
    if (kind !== 'snapshot') return;
    this.#guarded(() => {
      const end = this.#received + payload.length;
      if (offset !== this.#received || end > (this.#announced ?? 0))
        throw new ProtocolError('a piece of a snapshot that was not announced');
      // Only received bytes are charged, not announced ones.
      this.#account.hold(payload.length);
      this.#pieces.push(payload);
      this.#received = end;
      this.#expectMore();
    });
  }

  lost(): void {
    this.#stopWaiting();
    this.#whole.reject(new NoAnswer('the connection was lost'));
  }

  /** Starts waiting for the next frame, or stops after the last one. */
  #expectMore(): void {
    this.#stopWaiting();
    if (this.#received === this.#announced) return;
    this.#stopWaiting = workerClock.after(SNAPSHOT_FRAME_WITHIN_MS, () =>
      this.#whole.reject(new NoAnswer('the machine did not send the rest')),
    );
  }

  #guarded(act: () => void): void {
    try {
      act();
      if (this.#received === this.#announced) this.#whole.resolve(this.#pieces);
    } catch (error) {
      this.#announced = 0; // later frames are not kept
      this.#pieces.length = 0;
      this.#whole.reject(error);
    }
  }
}
