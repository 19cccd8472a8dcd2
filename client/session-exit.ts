/**
 * Waits until the program of a session has ended, without attaching it. Every client is told of an exit; the registry
 * knows of one that happened before, or while a link was down. So it is asked at first and after every reconnect.
 */
import { Refusal } from '../protocol/errors.ts';
import type { SessionInfo } from '../protocol/messages/session-info.ts';
import { endReasonText } from './end-reason.ts';
import { deferred } from './requests/deferred.ts';
import { NoAnswer } from './requests/requests.ts';
import type { WorkspaceClient } from './workspace-client.ts';

export interface SessionExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * Rejects with `session_missing` when the session is unknown or gone, with NoAnswer when the client's connection is
 * closed for good, and with any other refusal of the relay. To stop waiting, let the client leave.
 */
export function sessionExit(client: WorkspaceClient, id: string): Promise<SessionExit> {
  const outcome = deferred<SessionExit>();
  let asked: unknown;
  const look = () => {
    const { state } = client;
    if (state.name === 'refused') outcome.reject(new NoAnswer(state.why));
    // Each message about the agent is a reconnect, after which the registry may know more.
    if (state.name !== 'live' || state.agent === asked) return;
    asked = state.agent;
    client.list({ session: id }).then(
      ([session]) => {
        const exit = exitIn(session);
        if (exit instanceof Refusal) outcome.reject(exit);
        else if (exit !== undefined) outcome.resolve(exit);
      },
      // Without a connection, the next one asks again.
      (error) => isAway(error) || outcome.reject(error),
    );
  };
  const stops = [
    client.onNews((news) => {
      if (news.type !== 'session_exited' || news.session !== id) return;
      outcome.resolve({ exitCode: news.exitCode, signal: news.signal });
    }),
    client.onChange(look),
  ];
  look();
  return outcome.promise.finally(() => {
    for (const stop of stops) stop();
  });
}

const isAway = (error: unknown) => error instanceof Refusal && error.code === 'agent_offline';

/** Undefined while the program runs. */
function exitIn(session: SessionInfo | undefined): SessionExit | Refusal | undefined {
  if (session === undefined)
    return new Refusal('session_missing', 'This workspace has no session with this id.');
  const { endedBy, exitCode, signal, status } = session;
  if (status === 'running') return undefined;
  if (endedBy !== undefined)
    return new Refusal('session_missing', `This session was ended: ${endReasonText(endedBy)}.`);
  if (status === 'exited') return { exitCode, signal };
  return new Refusal(
    'session_missing',
    'The machine came back without this session; how it ended is not known.',
  );
}
