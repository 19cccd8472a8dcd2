/** `holdfast run`: runs a command line in a session's shell, prints its output, and exits with its exit code. */
import { createHash, randomBytes } from 'node:crypto';
import { actName } from '../../client/requests/act-name.ts';
import { NoAnswer } from '../../client/requests/requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { print, printJson, say } from '../../node/print.ts';
import { Refusal } from '../../protocol/errors.ts';
import { ACTOR_MAX_CHARS, TYPED_TEXT_MAX_CHARS } from '../../protocol/limits.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { readSeconds } from '../client/deadline.ts';
import { sessionMeant } from '../client/find-session.ts';
import { exitCodeOf } from '../client/program-exit.ts';
import { runNotice } from '../client/run-notice.ts';
import { commandLineOf, shellWord } from '../client/shell-words.ts';
import { thisUser } from '../client/this-user.ts';
import type { Command, Input } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

const HOUR_S = 3600;
const SIZE = { cols: 80, rows: 24 };

export const runCommand: Command = {
  name: 'run',
  summary: 'run a command in a session and exit with its exit code',
  operands: "[<session>] '<command line>' | [<session>] -- <command>...",
  about: `Types a command line into the shell of a session, once, and waits for its end. Prints what it printed (the
beginning and the end, if that is long) and exits with its exit code. After \`--\`, several words are quoted for the
shell; a single word is a command line. The session may be left out before \`--\` while only one is running.

Exit code 73: nothing was run, because the shell or its keyboard is busy. 74: it waits for input, or somebody has taken
the keyboard. 75: the connection was lost, and it is not known whether it was run; repeat it with the same --key. 124: it
still runs; \`holdfast wait --command\` waits on. Ctrl-C ends the waiting, not the command.`,
  options: {
    timeout: { value: '<seconds>', meaning: 'how long to wait for its end, default: 3600' },
    key: { value: '<key>', meaning: 'run it only once under this name: repeated, it waits for the same run' },
    actor: { value: '<name>', meaning: 'who runs it, for people who look at the session' },
    new: { meaning: 'in a new session, which is closed once the command has ended' },
    cwd: { value: '<directory>', meaning: 'with --new: working directory, default: the home directory' },
    json: { meaning: 'print {session, state, exitCode, durationMs, output, omittedBytes, offset, cwd, …}' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    [`holdfast run build 'make && make install'`, 'in the shell of that session, with its directory'],
    ['holdfast run build --timeout 60 -- npm test', 'exits with 124 if it takes longer'],
    ['holdfast run build --key deploy-17 -- ./deploy', 'runs once, however often this is repeated'],
    ['holdfast run --new --cwd /srv/app -- git pull', 'in a shell of its own'],
  ],
  async run(input) {
    const wanted = readRun(input);
    return withClient(clientSettings(input), async (client) => {
      const session = await sessionFor(client, wanted);
      try {
        const run = await runIn(client, session, wanted);
        if (input.has('json')) printJson({ session, ...run });
        else report(run, wanted.meant ?? session, wanted.seconds);
        if (run.state === 'done' && wanted.isNew) await client.close(session);
        return exitCodeFor(run);
      } catch (error) {
        // Nothing was run, so nobody needs the session.
        if (wanted.isNew && error instanceof CommandError && error.exitCode === EXIT.busy)
          await client.close(session);
        throw error;
      }
    });
  },
};

interface Wanted {
  readonly meant: string | undefined;
  readonly command: string;
  readonly seconds: number;
  readonly key: string | undefined;
  readonly actor: string | undefined;
  readonly isNew: boolean;
  readonly cwd: string | undefined;
}

function readRun(input: Input): Wanted {
  const isNew = input.has('new');
  const { operands, rest } = input;
  const meant = isNew ? undefined : operands[0];
  const more = isNew ? operands : operands.slice(1);
  const words = rest === undefined ? more : rest;
  if (rest !== undefined && more.length > 0)
    throw new UsageError('the command is given twice, before and after `--`');
  if (rest === undefined && more.length > 1)
    throw new UsageError('quote the command line, or put the command after `--`');
  const command = commandLineOf(words);
  if (command.trim() === '') throw new UsageError(`no command given; ${howTo(meant)}`);
  if (command.length > TYPED_TEXT_MAX_CHARS)
    throw new UsageError(`the command has over ${TYPED_TEXT_MAX_CHARS} characters; put it into a file`);
  const [key, actor, cwd] = ['key', 'actor', 'cwd'].map((option) => input.text(option));
  if (isNew && key !== undefined)
    throw new UsageError('--key needs a session that is there already, not --new');
  if (!isNew && cwd !== undefined) throw new UsageError('--cwd needs --new; a session has its own directory');
  if (actor !== undefined && (actor === '' || actor.length > ACTOR_MAX_CHARS))
    throw new UsageError(`--actor needs 1 to ${ACTOR_MAX_CHARS} characters`);
  return { meant, command, seconds: readSeconds(input.text('timeout'), HOUR_S), key, actor, isNew, cwd };
}

const howTo = (meant: string | undefined) =>
  `try \`holdfast run ${meant === undefined ? 'build' : shellWord(meant)} -- make test\``;

async function sessionFor(client: WorkspaceClient, { meant, isNew, cwd }: Wanted): Promise<string> {
  if (!isNew) return (await sessionMeant(client, meant)).id;
  return (await client.create({ ...SIZE, ...(cwd === undefined ? {} : { cwd }) })).id;
}

async function runIn(client: WorkspaceClient, session: string, wanted: Wanted): Promise<RunState> {
  const { command, key, actor, seconds } = wanted;
  const act =
    key === undefined
      ? randomBytes(16).toString('hex')
      : createHash('sha256').update(actName(session, key)).digest('base64url');
  try {
    return await client.assistant.run(session, command, {
      ...{ act, actor, holder: thisUser() },
      waitMs: Math.round(seconds * 1000),
    });
  } catch (error) {
    if (error instanceof NoAnswer)
      throw new CommandError(
        EXIT.unknown,
        key === undefined
          ? 'it is not known whether the command was run: the machine is unreachable or was restarted. Check before you repeat it'
          : 'it is not known whether the command was run; repeat it with the same --key, and it is not run twice',
      );
    if (error instanceof Refusal && BUSY.has(error.code)) throw new CommandError(EXIT.busy, error.message);
    throw error;
  }
}

const BUSY: ReadonlySet<string> = new Set(['shell_busy', 'keyboard_busy', 'taken_over']);

/** What was printed goes to stdout, everything about it to stderr. */
function report(run: RunState, session: string, seconds: number): void {
  if (run.output !== '') print(run.output.replace(/\n$/, ''));
  for (const line of runNotice(run, shellWord(session), seconds)) say(`holdfast run: ${line}`);
}

function exitCodeFor({ state, exitCode }: RunState): number {
  if (state === 'done') return exitCodeOf({ exitCode, signal: null });
  return state === 'running' ? EXIT.timedOut : EXIT.unfinished;
}
