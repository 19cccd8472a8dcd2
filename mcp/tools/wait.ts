/** `wait`: until a program ends, prints something, finishes a command, or asks for attention. It never polls. */
import * as v from 'valibot';
import { sessionExit } from '../../client/session-exit.ts';
import { PATTERN_MAX_CHARS } from '../../protocol/limits.ts';
import { attentionSchema } from '../../protocol/messages/attention.ts';
import { sessionCommandSchema } from '../../protocol/messages/command-info.ts';
import { printable, printableLines } from '../../protocol/printable.ts';
import { inSlices } from '../call/in-slices.ts';
import { within } from '../call/patience.ts';
import { type ToolAnswer, type ToolCall, tool } from '../call/tool.ts';
import { ToolError } from '../call/tool-error.ts';
import { session, timeoutMs, whole } from './arguments.ts';

const sought = v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(PATTERN_MAX_CHARS)));

const input = v.strictObject({
  session,
  for: v.pipe(
    v.picklist(['exit', 'text', 'command', 'attention']),
    v.description(
      'exit: the program of the session ends. text: `text` or `pattern` is on the screen or printed. command: a command in its shell ends. attention: something ended, failed or asks.',
    ),
  ),
  text: v.pipe(sought, v.description('Literal text; with for=text.')),
  pattern: v.pipe(sought, v.description('Regular expression without look-around; with for=text.')),
  since: v.optional(
    v.pipe(whole, v.description('What was printed before this offset does not count. Not with for=exit.')),
  ),
  timeoutMs,
});

const output = v.object({
  happened: v.pipe(v.boolean(), v.description('False: not in time. Wait again, or for something else.')),
  exitCode: v.optional(v.nullable(v.number())),
  signal: v.optional(v.nullable(v.string())),
  text: v.optional(v.pipe(v.string(), v.description('The line, up to the end of the match.'))),
  command: v.optional(sessionCommandSchema),
  attention: v.optional(attentionSchema),
  offset: v.optional(v.pipe(whole, v.description('The end of the output.'))),
});

type WaitInput = v.InferOutput<typeof input>;
type Waited = ToolAnswer<v.InferOutput<typeof output>>;

export const waitTool = tool({
  name: 'wait',
  title: 'Wait',
  description:
    'Waits until something happens in a session, without polling. Answers happened=false if it did not happen in time.',
  isReading: true,
  isIdempotent: true,
  isPatient: true,
  input,
  output,
  call(wanted, call) {
    if (wanted.for === 'exit') return forExit(wanted, call);
    if (wanted.for === 'text') return forText(wanted, call);
    return forNews(wanted, wanted.for, call);
  },
});

const notInTime = (more: { offset?: number } = {}): Waited => ({
  facts: { happened: false, ...more },
  text: 'It did not happen in time.',
});

async function forExit({ session, timeoutMs }: WaitInput, { host, cancelled }: ToolCall): Promise<Waited> {
  try {
    const { exitCode, ...ended } = await host.withOwnClient(cancelled, (client) =>
      within(host.clock, timeoutMs, cancelled, sessionExit(client, session)),
    );
    const signal = ended.signal === null ? null : printable(ended.signal);
    const how = signal === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`;
    return { facts: { happened: true, exitCode, signal }, text: `The program has ended: ${how}.` };
  } catch (error) {
    if (error instanceof ToolError && error.code === 'timeout') return notInTime();
    throw error;
  }
}

async function forText(
  { session, text, pattern, since, timeoutMs }: WaitInput,
  { host, cancelled }: ToolCall,
): Promise<Waited> {
  if ((text === undefined) === (pattern === undefined))
    throw new ToolError('bad_request', 'With for=text, give exactly one of text and pattern.');
  const line = await host.printed({ session, text, pattern, since }, timeoutMs, cancelled);
  if (line === null) return notInTime();
  const found = printableLines(line);
  return { facts: { happened: true, text: found }, text: `Found: ${found}` };
}

async function forNews(
  { session, since, timeoutMs }: WaitInput,
  what: 'command' | 'attention',
  { host, cancelled }: ToolCall,
): Promise<Waited> {
  let from = since;
  const { command, attention, offset } = await host.withWaitingClient((client) =>
    inSlices({
      ...{ host, withinMs: timeoutMs, cancelled },
      ask: async (waitMs) => {
        const answer = await client.assistant.awaitSession(session, what, { waitMs, since: from });
        from ??= what === 'command' ? answer.offset : undefined;
        return answer;
      },
      isPending: (answer) => answer.command === undefined && answer.attention === undefined,
    }),
  );
  if (command !== undefined) {
    const commandLine = command.commandLine === null ? null : printableLines(command.commandLine);
    const code = command.exitCode === null ? 'exit code unknown' : `exit code ${command.exitCode}`;
    const proof = command.verified ? '' : ' Its shell proves no marks: anything printed could have said so.';
    return {
      facts: { happened: true, command: { ...command, commandLine }, offset },
      text: `A command has ended: ${commandLine ?? 'unknown'}, ${code}.${proof}`,
    };
  }
  if (attention === undefined) return notInTime({ offset });
  const said = { ...attention, text: printable(attention.text) };
  const guess = attention.guessed ? ' (a guess)' : '';
  return {
    facts: { happened: true, attention: said, offset },
    text: `${attention.state}${guess}: ${said.text}`,
  };
}
