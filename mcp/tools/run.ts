/** `run`: a command in a session's shell, once, and how it ended. */
import * as v from 'valibot';
import { actName } from '../../client/requests/act-name.ts';
import type { AskedAgent } from '../../client/requests/repeated-request.ts';
import { NoAnswer } from '../../client/requests/requests.ts';
import { MCP_TEXT_MAX_BYTES, RUN_TAIL_MAX_BYTES, TYPED_TEXT_MAX_CHARS } from '../../protocol/limits.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import { printable } from '../../protocol/printable.ts';
import { endOf, shownPath } from '../call/bounded-text.ts';
import { inSlices } from '../call/in-slices.ts';
import { tool } from '../call/tool.ts';
import { unknownToolOutcome } from '../call/tool-error.ts';
import { idempotencyKey, session, timeoutMs, whole } from './arguments.ts';

const output = v.object({
  state: v.picklist(['done', 'running', 'needs_input', 'taken_over']),
  exitCode: v.nullable(v.number()),
  durationMs: whole,
  output: v.pipe(v.string(), v.description('The beginning and the end of what it printed.')),
  omittedBytes: whole,
  omittedFrom: v.optional(v.pipe(whole, v.description('Read what is omitted with this as since.'))),
  offset: v.pipe(whole, v.description('The end of the output.')),
  cwd: v.nullable(v.string()),
  program: v.optional(v.string()),
  guessed: v.optional(v.literal(true)),
  by: v.optional(v.string()),
  idempotencyKey: v.string(),
});

type RunFacts = v.InferOutput<typeof output>;

export const runTool = tool({
  name: 'run',
  title: 'Run a command',
  description: `Runs one command line in the shell of a session and answers how it ended: exit code, duration, output, directory. The shell must wait for a command. If it is not done in time, state is "running": call again with the same command and the idempotencyKey of the answer to wait on; it is not run twice. With "needs_input" a program asks something: answer with type and keys. With "taken_over" a person has taken the keyboard: ask them.`,
  isPatient: true,
  isDestructive: true,
  input: v.strictObject({
    session,
    command: v.pipe(v.string(), v.minLength(1), v.maxLength(TYPED_TEXT_MAX_CHARS)),
    timeoutMs,
    idempotencyKey,
  }),
  output,
  async call({ session, command, timeoutMs, idempotencyKey: given }, { host, actor, holder, cancelled }) {
    const { key, asked } = readRunKey(given ?? host.newKey());
    const act = await host.digest(actName(session, key));
    const run = await host
      .withWaitingClient((client) =>
        inSlices({
          ...{ host, withinMs: timeoutMs, cancelled },
          ask: (waitMs) => client.assistant.run(session, command, { act, actor, holder, waitMs, asked }),
          isPending: ({ state }) => state === 'running',
        }),
      )
      .catch((error) => {
        // A caller without a key of its own cannot ask for the same again.
        throw error instanceof NoAnswer && (given === undefined || given !== key)
          ? unknownToolOutcome()
          : error;
      });
    const facts = factsOf(run, given ?? runKey(key, asked.epoch));
    return { facts, text: textOf(facts) };
  },
});

/**
 * A key that a tool has made names the life of the agent for which it is meant: whoever only waits on must not run the
 * command again in a session that was revived after the machine's restart. A caller's own key means what the caller wants.
 */
const runKey = (key: string, epoch: string | null | undefined) => (epoch == null ? key : `${key}@${epoch}`);

const MADE_KEY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@([\w-]{1,64})$/;

function readRunKey(given: string): { readonly key: string; readonly asked: AskedAgent } {
  const [, key = given, epoch] = MADE_KEY.exec(given) ?? [];
  return { key, asked: { epoch } };
}

function factsOf(run: RunState, key: string): RunFacts {
  const { state, exitCode, durationMs, offset, cwd, program, guessed, by } = run;
  const { text, omittedBytes } = endOf(run.output, MCP_TEXT_MAX_BYTES);
  const omitted = run.omittedBytes + omittedBytes;
  // Of a long output, the agent sends the last bytes whole.
  const from = Math.max(0, offset - RUN_TAIL_MAX_BYTES - run.omittedBytes);
  return {
    ...{ state, exitCode, durationMs, output: text, omittedBytes: omitted },
    ...(omitted > 0 ? { omittedFrom: from } : {}),
    ...{ offset, cwd: shownPath(cwd) },
    ...(program === undefined ? {} : { program: printable(program) }),
    ...(guessed === undefined ? {} : { guessed }),
    ...(by === undefined ? {} : { by: printable(by) }),
    idempotencyKey: key,
  };
}

function textOf(facts: RunFacts): string {
  const { output, omittedBytes, omittedFrom } = facts;
  const cut = omittedBytes > 0 ? `\n[${omittedBytes} bytes omitted; read with since=${omittedFrom}]` : '';
  return `${headOf(facts)}${cut}${output === '' ? '' : `\n\n${output}`}`;
}

function headOf({
  state,
  exitCode,
  durationMs,
  cwd,
  program,
  guessed,
  by,
  idempotencyKey,
}: RunFacts): string {
  const time = `${(durationMs / 1000).toFixed(1)} s`;
  const what = program ?? 'The program';
  switch (state) {
    case 'done': {
      const code = exitCode === null ? 'ended; exit code unknown' : `exit code ${exitCode}`;
      return `${code}, ${time}${cwd === null ? '' : `, in ${cwd}`}`;
    }
    case 'running':
      return `still running after ${time}${program === undefined ? '' : ` (${program})`}. To wait on: run the same command with idempotencyKey ${JSON.stringify(idempotencyKey)}.`;
    case 'needs_input':
      return `${what} ${guessed ? 'seems to wait' : 'waits'} for input. Answer with type and keys.`;
    case 'taken_over':
      return `${by ?? 'Somebody'} has taken the keyboard. Ask them before you go on.`;
  }
}
