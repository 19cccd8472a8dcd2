/** Asks the agent when the commands of a session ran. */
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { CommandTimes } from '../text/command-times.ts';

/** An agent that cannot be asked, or is too old, tells nothing. */
export function commandTimesOf(client: WorkspaceClient): CommandTimes {
  return async (session) => {
    try {
      const commands = await client.commands(session);
      return new Map(
        commands.map(({ number, startedAt, durationMs }) => [number, { startedAt, durationMs }]),
      );
    } catch {
      return new Map();
    }
  };
}
