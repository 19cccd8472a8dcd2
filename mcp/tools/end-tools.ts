/** `signal` and `close`: how programs are interrupted and sessions end. */
import * as v from 'valibot';
import { NoAnswer } from '../../client/requests/requests.ts';
import { Refusal } from '../../protocol/errors.ts';
import { SENT_SIGNALS } from '../../protocol/messages/client-message.ts';
import { printable } from '../../protocol/printable.ts';
import { askAgain, TOOL_ANSWER_WITHIN_MS } from '../call/ask-again.ts';
import { tool } from '../call/tool.ts';
import { unknownToolOutcome } from '../call/tool-error.ts';
import { session } from './arguments.ts';

export const signalTool = tool({
  name: 'signal',
  title: 'Send a signal',
  description:
    'Sends a signal to the program in the foreground of a session, for example SIGINT to interrupt it.',
  isDestructive: true,
  input: v.strictObject({ session, signal: v.picklist(SENT_SIGNALS) }),
  output: v.object({
    program: v.pipe(v.nullable(v.string()), v.description('The program that got it; null if unknown.')),
  }),
  async call({ session, signal }, { host }) {
    const told = await host.withClient((client) =>
      client.assistant.signal(session, signal, { withinMs: TOOL_ANSWER_WITHIN_MS }).catch((error) => {
        throw error instanceof NoAnswer ? unknownToolOutcome() : error;
      }),
    );
    const program = told === null ? null : printable(told);
    return { facts: { program }, text: `Sent ${signal} to ${program ?? 'the program in the foreground'}.` };
  },
});

export const closeTool = tool({
  name: 'close',
  title: 'Close a session',
  description: 'Ends the program of a session and removes the session, for everybody.',
  isDestructive: true,
  isIdempotent: true,
  input: v.strictObject({ session }),
  output: v.object({ closed: v.literal(true) }),
  async call({ session }, { host }) {
    await host.withClient((client) =>
      askAgain(client, host.clock, async (before) => {
        try {
          await client.requests.ask({ type: 'close_session', session }, { withinMs: TOOL_ANSWER_WITHIN_MS });
        } catch (error) {
          // The first request has arrived, although its answer did not.
          const isGone = before > 0 && error instanceof Refusal && error.code === 'session_missing';
          if (!isGone) throw error;
        }
      }),
    );
    return { facts: { closed: true as const }, text: 'Closed.' };
  },
});
