/**
 * Event ids of an output stream (`Last-Event-ID`). An id records the position in the output after an event. Clients
 * treat it as opaque; it holds the agent's epoch, an offset, and whether the stream ended there.
 */
import { ApiError } from '../http/api-error.ts';

interface EventId {
  readonly epoch: string;
  readonly offset: number;
  /** The program has ended and the client has received everything, so there is nothing to resume. */
  readonly isFinal: boolean;
}

export function writeEventId({ epoch, offset, isFinal }: EventId): string {
  return `${epoch}.${offset}${isFinal ? '.end' : ''}`;
}

export function readEventId(text: string): EventId {
  const [, epoch, digits, end] = /^([A-Za-z0-9_-]{1,64})\.(\d{1,16})(\.end)?$/.exec(text) ?? [];
  const offset = Number(digits);
  if (epoch === undefined || !Number.isSafeInteger(offset)) {
    throw new ApiError(
      400,
      'bad_request',
      'This Last-Event-ID is not valid. Leave it out to start with a snapshot.',
    );
  }
  return { epoch, offset, isFinal: end !== undefined };
}
