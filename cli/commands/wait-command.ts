/** `holdfast wait`: waits until a program exits or prints a text, a command has ended, or a session wants attention. */

import type { AttachedSession } from '../../client/attached-session.ts';
import type { Pattern } from '../../client/text/pattern.ts';
import { BadPattern } from '../../client/text/pattern-program.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { printJson } from '../../node/print.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { inTime, readSeconds, until } from '../client/deadline.ts';
import { sessionMeant } from '../client/find-session.ts';
import { NO_SCREEN } from '../client/no-screen.ts';
import { exitCodeOf, type ProgramExit } from '../client/program-exit.ts';
import { readPattern, textOn } from '../client/text-wait.ts';
import type { Command } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { readNotice, waitForNotice } from './wait-noticed.ts';

const HOUR_S = 3600;

export const waitCommand: Command = {
  name: 'wait',
  summary: 'wait until a program has ended or printed something, or attention is wanted',
  operands: '[<session>]',
  about: `Waits until the program of a session ends, and exits with its exit code (128 plus the number of the signal that ended
it). With --text, waits until a match is on the screen or is printed: exit code 0, or 1 if the program ends without it.
With --command, waits until a command of its shell has ended, and exits with its exit code. With --attention, waits until
the session wants attention, and prints why. Exit code 124 on a timeout; the session keeps running. Reconnects if the
connection is lost.`,
  options: {
    text: { value: '<pattern>', short: 't', meaning: 'wait for a match of this regular expression' },
    command: { meaning: 'wait for the end of the running command, or of the next one' },
    attention: { meaning: 'wait until a program calls for attention, or ends' },
    since: {
      value: '<offset>',
      meaning: 'with --command or --attention: ignore what was before this offset',
    },
    timeout: { value: '<seconds>', meaning: 'how long to wait, default: 3600' },
    json: {
      meaning: 'print {exitCode, signal}, {text} (the line up to the match), {command} or {attention}',
    },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast wait build && ./deploy', 'deploys if the build succeeds'],
    [`holdfast wait server --text 'listening on \\d+' --timeout 60`, 'waits until it is up'],
    ['holdfast wait codex --attention', 'waits until the coding agent asks something'],
  ],
  async run(input) {
    const within = readSeconds(input.text('timeout'), HOUR_S);
    const pattern = patternOf(input.text('text'));
    const notice = readNotice(input);
    const [meant] = input.operands;
    return withClient(clientSettings(input), async (client) => {
      const found = await sessionMeant(client, meant);
      // Messages use the name that the user typed.
      const session = { ...found, name: meant ?? found.name };
      if (notice !== undefined)
        return waitForNotice(client, session, notice, { seconds: within, json: input.has('json') });
      const json = (value: object) => input.has('json') && printJson(value);
      if (pattern === undefined) {
        const exit = await exitOf(client, session, within);
        json(exit);
        return exitCodeOf(exit);
      }
      const text = await printed(client, session, pattern, within);
      if (text !== null) json({ text });
      return text === null ? EXIT.failed : EXIT.ok;
    });
  },
};

function patternOf(text: string | undefined): Pattern | undefined {
  try {
    return text === undefined ? undefined : readPattern(text);
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    throw new UsageError(`--text needs a regular expression that can be searched for: ${error.why}`);
  }
}

/** Attaches without watching the output, so that the session is not orphaned and its grace period does not end it. */
async function exitOf(client: WorkspaceClient, info: SessionInfo, within: number): Promise<ProgramExit> {
  if (info.status !== 'running') return { exitCode: info.exitCode, signal: info.signal };
  const session = client.attach(info.id, null, NO_SCREEN, { isVisible: false });
  const exit = await until<ProgramExit>(
    within,
    (listener) => session.onChange(listener),
    () => {
      mustBeThere(session);
      return session.exit ?? undefined;
    },
  );
  if (exit === undefined)
    throw new CommandError(EXIT.timedOut, `${info.name} has not ended in time; it is still running`);
  return { exitCode: exit.exitCode, signal: exit.signal };
}

/** Resolves with the line of the match; null when the program exited without printing it. */
async function printed(client: WorkspaceClient, info: SessionInfo, pattern: Pattern, within: number) {
  const found = textOn(client, info.id, pattern).catch((error) => {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'session_exited') return null;
    throw error.code === 'agent_offline' ? error : new CommandError(EXIT.noSession, error.message);
  });
  const text = await inTime(within, found);
  if (text === undefined)
    throw new CommandError(EXIT.timedOut, `${info.name} has not printed that in time; it is still running`);
  return text;
}

function mustBeThere({ state }: AttachedSession): void {
  if (state.name === 'gone') throw new CommandError(EXIT.noSession, state.why);
}
