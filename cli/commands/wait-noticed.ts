/** `holdfast wait --command` and `--attention`: waits for what the machine notices in a session. */
import type { AwaitedSession } from '../../client/requests/assistant-requests.ts';
import { NoAnswer } from '../../client/requests/requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { print, printJson } from '../../node/print.ts';
import { systemClock } from '../../node/system-clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { untilOnline } from '../client/connect.ts';
import { inTime } from '../client/deadline.ts';
import { attentionCell } from '../client/digest-lines.ts';
import { exitCodeOf } from '../client/program-exit.ts';
import type { Input } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

export interface WantedNotice {
  readonly what: 'command' | 'attention';
  readonly since: number | undefined;
}

/** Undefined unless one of them is wanted. */
export function readNotice(input: Input): WantedNotice | undefined {
  const kinds = (['command', 'attention'] as const).filter((kind) => input.has(kind));
  const since = readOffset(input.text('since'));
  const [what] = kinds;
  if (kinds.length + (input.text('text') === undefined ? 0 : 1) > 1)
    throw new UsageError('wait for one thing: --text, --command or --attention');
  if (what === undefined && since !== undefined)
    throw new UsageError('--since needs --command or --attention');
  return what === undefined ? undefined : { what, since };
}

function readOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const offset = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(offset)) return offset;
  throw new UsageError(`--since needs an offset, as \`holdfast run\` prints it, not ${JSON.stringify(text)}`);
}

/** Resolves with the exit code. `name` is the session as the user calls it. */
export async function waitForNotice(
  client: WorkspaceClient,
  session: { readonly id: string; readonly name: string },
  wanted: WantedNotice,
  options: { readonly seconds: number; readonly json: boolean },
): Promise<number> {
  const { id, name } = session;
  const waited = await happened(client, id, wanted, options.seconds);
  const { command, attention } = waited ?? {};
  if (command === undefined && attention === undefined)
    throw new CommandError(
      EXIT.timedOut,
      wanted.what === 'command'
        ? `no command has ended in ${name} in time${waited === undefined ? '' : `; --since ${waited.offset} waits on`}`
        : `${name} has wanted no attention in time`,
    );
  if (options.json) printJson(waited);
  else if (attention !== undefined) print(attentionCell(attention, new Date()));
  return command === undefined ? EXIT.ok : exitCodeOf({ exitCode: command.exitCode, signal: null });
}

/** Lost connections and a machine that is away are waited out. Undefined if it did not come back in time. */
async function happened(
  client: WorkspaceClient,
  id: string,
  { what, since }: WantedNotice,
  seconds: number,
): Promise<AwaitedSession | undefined> {
  const end = systemClock.now() + seconds * 1000;
  for (;;) {
    const isBack = await inTime(
      (end - systemClock.now()) / 1000,
      untilOnline(client).then(() => true),
    );
    if (isBack === undefined) return undefined;
    const waitMs = Math.max(0, Math.round(end - systemClock.now()));
    try {
      return await client.assistant.awaitSession(id, what, { waitMs, since });
    } catch (error) {
      const isAway = error instanceof Refusal && error.code === 'agent_offline';
      if (error instanceof NoAnswer) throw new CommandError(EXIT.unavailable, error.message);
      if (!isAway || client.state.name === 'refused') throw error;
    }
  }
}
