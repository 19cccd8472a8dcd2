/** `holdfast wait`: waits until a program exits or prints a text. */

import type { AttachedSession } from '../../client/attached-session.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { printJson } from '../../node/print.ts';
import type { SessionInfo } from '../../protocol/messages.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { readSeconds, until } from '../client/deadline.ts';
import { sessionMeant } from '../client/find-session.ts';
import { NO_SCREEN } from '../client/no-screen.ts';
import { PrintedText } from '../client/printed-text.ts';
import { exitCodeOf, type ProgramExit } from '../client/program-exit.ts';
import type { Command } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

const HOUR_S = 3600;

export const waitCommand: Command = {
  name: 'wait',
  summary: 'wait until a program has ended or printed something',
  operands: '[<session>]',
  about: `Waits until the program of a session ends, and exits with its exit code (128 plus the number of the signal that ended
it). With --text, waits until a match is on the screen or is printed: exit code 0, or 1 if the program ends without it.
Exit code 124 on a timeout; the session keeps running. Reconnects if the connection is lost.`,
  options: {
    text: { value: '<pattern>', short: 't', meaning: 'wait for a match of this regular expression' },
    timeout: { value: '<seconds>', meaning: 'how long to wait, default: 3600' },
    json: { meaning: 'print {exitCode, signal}, or {text} with what matched' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast wait build && ./deploy', 'deploys if the build succeeds'],
    [`holdfast wait server --text 'listening on \\d+' --timeout 60`, 'waits until it is up'],
  ],
  async run(input) {
    const within = readSeconds(input.text('timeout'), HOUR_S);
    const pattern = readPattern(input.text('text'));
    const [meant] = input.operands;
    return withClient(clientSettings(input), async (client) => {
      const found = await sessionMeant(client, meant);
      // Messages use the name that the user typed.
      const session = { ...found, name: meant ?? found.name };
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

function readPattern(text: string | undefined): RegExp | undefined {
  try {
    return text === undefined ? undefined : new RegExp(text, 'mu');
  } catch (error) {
    throw new UsageError(`--text needs a regular expression: ${(error as Error).message}`);
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

/** Resolves with the matching text; null when the program exited without printing it. */
async function printed(client: WorkspaceClient, info: SessionInfo, pattern: RegExp, within: number) {
  const text = new PrintedText();
  const session = client.attach(info.id, null, text, { history: 'none' });
  const onChange = (listener: () => void) => {
    const stops = [session.onChange(listener), text.onChange(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  };
  const found = await until<string | null>(within, onChange, () => {
    const match = pattern.exec(text.text);
    if (match !== null) return match[0];
    mustBeThere(session);
    return session.state.name === 'exited' ? null : undefined;
  });
  if (found === undefined)
    throw new CommandError(EXIT.timedOut, `${info.name} has not printed that in time; it is still running`);
  return found;
}

function mustBeThere({ state }: AttachedSession): void {
  if (state.name === 'gone') throw new CommandError(EXIT.noSession, state.why);
}
