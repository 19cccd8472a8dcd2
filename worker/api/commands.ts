/** Lists the commands that people ran in a session, and answers what one of them printed. */
import { NoAnswer } from '../../client/requests/requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { Handler } from '../http/http.ts';
import { heldAnswer, inPieces, openAccount } from './answer/held-answer.ts';
import {
  ANSWER_WITHIN_MS,
  badAgent,
  noAnswerInTime,
  refusedError,
  withApiClient,
} from './link/open-client.ts';
import { readInTurn } from './link/viewer-reads.ts';
import { commandNumber, query, sessionId } from './request/request.ts';
import { commandOutputQuery } from './request/schemas.ts';
import { answerSnapshot } from './snapshot/snapshot.ts';

export const listCommands: Handler = async (c) => {
  const session = sessionId(c);
  const account = openAccount(c);
  try {
    const commands = await readInTurn(c, () => withApiClient(c, {}, (client) => commandsOf(client, session)));
    const bytes = new TextEncoder().encode(JSON.stringify({ commands })) as Uint8Array<ArrayBuffer>;
    account.hold(bytes.length);
    return heldAnswer(c, inPieces(bytes), () => account.close());
  } catch (error) {
    account.close();
    throw error;
  }
};

export const showCommandOutput: Handler = (c) =>
  answerSnapshot(c, {
    ...query(c, commandOutputQuery),
    session: sessionId(c),
    scope: 'all',
    command: commandNumber(c),
  });

async function commandsOf(client: WorkspaceClient, session: string): Promise<SessionCommand[]> {
  try {
    return await client.requests.commands(session, { withinMs: ANSWER_WITHIN_MS });
  } catch (error) {
    if (error instanceof NoAnswer)
      throw client.state.name === 'refused' ? refusedError(client.state) : noAnswerInTime();
    throw error instanceof ProtocolError ? badAgent(`${error.message}.`) : error;
  }
}
