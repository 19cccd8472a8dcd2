/** `open_session`: finds the session with a key, or creates it. */
import * as v from 'valibot';
import { ARGS_MAX } from '../../protocol/limits.ts';
import { argument, name, path } from '../../protocol/messages/message-parts.ts';
import { askAgain, TOOL_ANSWER_WITHIN_MS } from '../call/ask-again.ts';
import { tool } from '../call/tool.ts';
import { factsOf, lineOf, sessionFacts } from './list-sessions.ts';

/** Wider than the usual 80 columns, because programs cut their lines; a person who looks brings their own size. */
const SIZE = { cols: 120, rows: 40 };

export const openSessionTool = tool({
  name: 'open_session',
  title: 'Open a session',
  description:
    'Finds the running session with this key, or creates it: a shell on the machine, or the given program. Other arguments count only if it is created. It runs on until it is closed.',
  isIdempotent: true,
  input: v.strictObject({
    key: v.pipe(name, v.minLength(1), v.description('Your name for it, such as "build".')),
    name: v.optional(v.pipe(name, v.description('What people see; default: the key.'))),
    cwd: v.optional(v.pipe(path, v.description('Directory to start in; default: the home directory.'))),
    command: v.optional(
      v.pipe(
        v.array(argument),
        v.minLength(1),
        v.maxLength(ARGS_MAX + 1),
        v.description('Program and arguments to run instead of a shell. `run` needs a shell.'),
      ),
    ),
  }),
  output: v.object({ session: sessionFacts, created: v.boolean() }),
  async call({ key, name: given = key, cwd, command }, { host }) {
    const [program, ...args] = command ?? [];
    const { session, found } = await host.withClient((client) =>
      askAgain(client, host.clock, () =>
        client.requests.ask(
          {
            ...{ type: 'create_session', ...SIZE, key, name: given },
            ...(cwd === undefined ? {} : { cwd }),
            ...(program === undefined ? {} : { command: program, args }),
          },
          { withinMs: TOOL_ANSWER_WITHIN_MS },
        ),
      ),
    );
    const facts = factsOf(session);
    const created = found !== true;
    return {
      facts: { session: facts, created },
      text: `${created ? 'Created' : 'Found'} ${lineOf(facts)}`,
    };
  },
});
