/**
 * Repeats a request that a lost connection has left without an answer, once the connection is back. For requests that
 * change nothing the second time.
 */
import { NoAnswer } from '../../client/requests/requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';

/** The slowest thing an agent does before it answers is to start a program, or to end one that resists. */
export const TOOL_ANSWER_WITHIN_MS = 10_000;

/** How long a request is repeated. */
const REPEAT_WITHIN_MS = 15_000;

/** `ask` gets how often it was asked before. */
export async function askAgain<T>(
  client: WorkspaceClient,
  clock: Clock,
  ask: (before: number) => Promise<T>,
): Promise<T> {
  const end = clock.now() + REPEAT_WITHIN_MS;
  for (let before = 0; ; before++) {
    try {
      return await ask(before);
    } catch (error) {
      const isLost = error instanceof NoAnswer || (before > 0 && isAway(error));
      if (!isLost || clock.now() >= end || client.state.name === 'refused') throw error;
      await untilOnline(client, clock, end);
    }
  }
}

const isAway = (error: unknown) => error instanceof Refusal && error.code === 'agent_offline';

/** Resolves once the machine is connected; rejects at `end`. */
function untilOnline(client: WorkspaceClient, clock: Clock, end: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      cancel();
      stop();
      act();
    };
    const look = () => {
      const { state } = client;
      if (state.name === 'live' && state.agent.state === 'online') settle(resolve);
      else if (state.name === 'refused') settle(() => reject(new NoAnswer(state.why)));
    };
    const cancel = clock.after(Math.max(0, end - clock.now()), () => settle(() => reject(new NoAnswer())));
    const stop = client.onChange(look);
    look();
  });
}
