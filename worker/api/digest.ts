/** Answers what happened in the sessions of a workspace since a moment, for somebody who was away. */
import { NoAnswer } from '../../client/requests/requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { SessionDigest } from '../../protocol/messages/digest.ts';
import type { Handler } from '../http/http.ts';
import { heldJson } from './answer/held-answer.ts';
import {
  ANSWER_WITHIN_MS,
  badAgent,
  noAnswerInTime,
  refusedError,
  withApiClient,
} from './link/open-client.ts';
import { readInTurn } from './link/viewer-reads.ts';
import { query } from './request/request.ts';
import { digestQuery } from './request/schemas.ts';

export const showDigest: Handler = async (c) => {
  const { since } = query(c, digestQuery);
  return heldJson(c, async () => {
    const sessions = await readInTurn(c, () => withApiClient(c, {}, (client) => digestOf(client, since)));
    return JSON.stringify({ sessions });
  });
};

async function digestOf(client: WorkspaceClient, since: string): Promise<SessionDigest[]> {
  try {
    return await client.requests.digest(since, { withinMs: ANSWER_WITHIN_MS });
  } catch (error) {
    if (error instanceof NoAnswer)
      throw client.state.name === 'refused' ? refusedError(client.state) : noAnswerInTime();
    throw error instanceof ProtocolError ? badAgent(`${error.message}.`) : error;
  }
}
