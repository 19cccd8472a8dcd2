/** A session's screen as it is now: as output for a terminal, as text, or as HTML. */
import type { Context } from 'hono';
import type { Frame } from '../../protocol/frame.ts';
import type { ServerMessage, SnapshotFormat } from '../../protocol/messages.ts';
import type { App, Handler } from '../http.ts';
import { joinBytes } from '../join-bytes.ts';
import { ApiError } from './api-error.ts';
import { inflate } from './inflate.ts';
import { type LinkEvents, NoAnswer, ObjectLink } from './object-link.ts';
import { query, sessionId } from './request.ts';
import { snapshotQuery } from './schemas.ts';

export interface Picture {
  readonly data: string;
  readonly cols: number;
  readonly rows: number;
  readonly offset: number;
}

export const showSnapshot: Handler = async (c) => {
  const { format } = query(c, snapshotQuery);
  return c.json(await takeSnapshot(c, sessionId(c), format));
};

export async function takeSnapshot(
  c: Context<App>,
  session: string,
  format: SnapshotFormat,
  scope?: 'screen',
): Promise<Picture> {
  const incoming = new IncomingPicture();
  try {
    return await ObjectLink.use(c, incoming, async (link) => {
      const answer = await link.ask((request) => ({
        type: 'take_snapshot',
        request,
        session,
        format,
        ...(scope === undefined ? {} : { scope }),
      }));
      if (answer.type !== 'snapshot_taken') throw new Error(`invariant: ${answer.type} was no answer`);
      const { cols, rows, offset } = answer;
      const data = new TextDecoder().decode(await inflate(await incoming.whole));
      return { data, cols, rows, offset };
    });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new ApiError(504, 'timeout', 'The machine did not answer in time; try again.');
  }
}

/** The frames that follow the answer, put together. */
class IncomingPicture implements LinkEvents {
  readonly #pieces: Uint8Array[] = [];
  readonly #whole = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  #missing = Number.POSITIVE_INFINITY;

  constructor() {
    this.#whole.promise.catch(() => {}); // may be lost while the answer is still waited for
  }

  get whole(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#whole.promise;
  }

  message(message: ServerMessage): void {
    if (message.type !== 'snapshot_taken') return;
    this.#missing = message.bytes;
    this.#settle();
  }

  frame({ kind, payload }: Frame): void {
    if (kind !== 'snapshot') return;
    this.#pieces.push(payload);
    this.#missing -= payload.length;
    this.#settle();
  }

  lost(): void {
    this.#whole.reject(new NoAnswer('the connection was lost'));
  }

  #settle(): void {
    if (this.#missing <= 0) this.#whole.resolve(joinBytes(this.#pieces));
  }
}
