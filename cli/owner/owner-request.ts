/** Asks the relay as its owner. */
import { askRelay } from '../client/api-request.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import type { OwnedRelay } from './find-owner.ts';

interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
}

/** Rejects with the sentence to show. `read`: reads the answer; null for one that the relay may not give. */
export async function askAsOwner<T>(
  { owner, relay }: OwnedRelay,
  path: string,
  read: (answer: unknown) => T | null,
  request: Asked = { method: 'POST', body: {} },
): Promise<T> {
  const authorization = `Owner ${owner.prove(relay.origin)}`;
  return expected(read(await askRelay(relay, path, { ...request, authorization })));
}

export function expected<T>(answer: T | null): T {
  if (answer !== null) return answer;
  throw new CommandError(EXIT.failed, 'the relay answered with something else than was asked for');
}
