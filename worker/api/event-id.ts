/**
 * Ids of events: where in whose output a stream is after an event. Opaque to others; for us the agent's life and an
 * offset in it, and whether that was the end.
 */
import { ApiError } from '../http/api-error.ts';

interface EventId {
  readonly epoch: string;
  readonly offset: number;
  /** The program has ended and everything was told: there is nothing to come back for. */
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
