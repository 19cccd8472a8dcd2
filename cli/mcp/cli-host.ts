/**
 * What the tools need, in `holdfast mcp`: one client that stays connected, and one more for each call that attaches a
 * session, because a client attaches a session once.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Pattern } from '../../client/text/pattern.ts';
import { BadPattern } from '../../client/text/pattern-program.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { within } from '../../mcp/call/patience.ts';
import { ToolError } from '../../mcp/call/tool-error.ts';
import type { Cancellation, SoughtText, ToolHost } from '../../mcp/call/tool-host.ts';
import { say } from '../../node/print.ts';
import { systemClock } from '../../node/system-clock.ts';
import { ProtocolError, Refusal } from '../../protocol/errors.ts';
import type { ClientSettings } from '../client/client-settings.ts';
import { type CliConnection, connectToWorkspace, reached } from '../client/connect.ts';
import { readPattern, textOn } from '../client/text-wait.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';

/** All calls share the places of one client, so those of calls that were cancelled must not be kept for long. */
const WAIT_AT_ONCE_MS = 30_000;

export function cliHost(settings: ClientSettings, shared: CliConnection): ToolHost {
  const connected = (connection: CliConnection) =>
    reached(connection, settings.relay).catch((error) => {
      throw error instanceof CommandError ? connectionError(error) : error;
    });
  const withClient: ToolHost['withClient'] = async (act) => {
    await connected(shared);
    return act(shared.client);
  };
  const withOwnClient: ToolHost['withOwnClient'] = async (cancelled, act) => {
    const own = connectToWorkspace(settings);
    const leave = () => own.client.leave();
    cancelled.addEventListener('abort', leave);
    try {
      await connected(own);
      return await act(own.client);
    } finally {
      cancelled.removeEventListener('abort', leave);
      leave();
    }
  };
  return {
    clock: systemClock,
    name: undefined,
    holderOf: async () => undefined,
    async role() {
      await connected(shared).catch(() => {});
      return shared.client.role;
    },
    withClient,
    withWaitingClient: withClient,
    waitAtOnceMs: WAIT_AT_ONCE_MS,
    withOwnClient,
    takeScreen: (session) =>
      withClient(async (client) => {
        const { bytes, ...place } = await client.snapshot(session, 'text', 'screen');
        return { pieces: [bytes], ...place };
      }),
    printed: (sought, withinMs, cancelled) =>
      withOwnClient(cancelled, (client) => printed(client, sought, withinMs, cancelled)),
    newKey: randomUUID,
    digest: async (text) => createHash('sha256').update(text).digest('base64url'),
    explain,
  };
}

async function printed(
  client: WorkspaceClient,
  sought: SoughtText,
  withinMs: number,
  cancelled: Cancellation,
): Promise<string | null> {
  const { text, pattern = '' } = sought;
  const search = text === undefined ? readPattern(pattern) : Pattern.literal(text);
  try {
    return await within(
      systemClock,
      withinMs,
      cancelled,
      textOn(client, sought.session, search, sought.since),
    );
  } catch (error) {
    if (error instanceof ToolError && error.code === 'timeout') return null;
    throw error;
  }
}

function connectionError({ exitCode, message }: CommandError): ToolError {
  return new ToolError(exitCode === EXIT.notAllowed ? 'unauthorized' : 'relay_unreachable', message);
}

/** Everything else that is expected is explained by the tools. A bug is for the log of whoever started this. */
function explain(error: unknown): ToolError | undefined {
  if (error instanceof BadPattern) return new ToolError('bad_pattern', error.message);
  if (error instanceof Refusal || error instanceof ProtocolError) return undefined;
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return undefined;
}
