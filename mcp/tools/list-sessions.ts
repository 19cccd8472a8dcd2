/** `list_sessions`: what there is to work with. */
import * as v from 'valibot';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { MCP_TEXT_MAX_BYTES } from '../../protocol/limits.ts';
import { attentionSchema } from '../../protocol/messages/attention.ts';
import { id } from '../../protocol/messages/message-parts.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { byteLength, shownPath } from '../call/bounded-text.ts';
import { tool } from '../call/tool.ts';
import { ToolError } from '../call/tool-error.ts';

const text = v.nullable(v.string());

export const sessionFacts = v.object({
  id: v.string(),
  key: text,
  name: v.string(),
  status: v.picklist(['running', 'exited', 'lost']),
  exitCode: v.nullable(v.number()),
  signal: text,
  program: v.pipe(text, v.description('What runs in the foreground.')),
  title: text,
  cwd: text,
  attention: v.optional(attentionSchema),
  lastActivityAt: v.string(),
});

const output = v.object({
  machine: v.picklist(['online', 'offline']),
  sessions: v.array(sessionFacts),
  next: v.optional(v.pipe(v.string(), v.description('There are more: pass this as `after`.'))),
});

export const listSessionsTool = tool({
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'Lists the terminal sessions of the machine: id, key, name, status, foreground program, directory, and whether one asks for attention.',
  isReading: true,
  isIdempotent: true,
  input: v.strictObject({
    after: v.optional(
      v.pipe(id, v.description('Only the sessions after this one; `next` of the last call.')),
    ),
  }),
  output,
  async call({ after }, { host }) {
    const { sessions, machine } = await host.withClient(async (client) => ({
      sessions: await client.list(),
      machine: machineOf(client),
    }));
    const from = after === undefined ? 0 : sessions.findIndex((one) => one.id === after) + 1;
    if (after !== undefined && from === 0)
      throw new ToolError('session_missing', 'The session in `after` is gone. List from the beginning.');
    const page = fitting(sessions.slice(from));
    const rest = sessions.length - from - page.length;
    const last = page.at(-1)?.id;
    const next = rest > 0 && last !== undefined ? { next: last } : {};
    const lines = [
      `The machine is ${machine}. Sessions: ${sessions.length}.`,
      ...page.map(lineOf),
      ...(rest > 0 ? [`${rest} more; go on with after=${last}.`] : []),
    ];
    return { facts: { machine, sessions: page, ...next }, text: lines.join('\n') };
  },
});

function machineOf({ state }: WorkspaceClient): 'online' | 'offline' {
  return state.name === 'live' ? state.agent.state : 'offline';
}

/** Everything in it that programs or people have chosen is made printable. */
export function factsOf(session: SessionInfo): v.InferOutput<typeof sessionFacts> {
  const { id, key, name, status, exitCode, signal, foreground, title, cwd, attention, lastActivityAt } =
    session;
  const shown = (value: string | null) => (value === null ? null : printable(value));
  return {
    ...{ id, key: shown(key), name: printable(name), status, exitCode, signal: shown(signal) },
    ...{ program: shown(foreground), title: shown(title), cwd: shownPath(cwd) },
    ...(attention === undefined ? {} : { attention: { ...attention, text: printable(attention.text) } }),
    lastActivityAt,
  };
}

export function lineOf(facts: v.InferOutput<typeof sessionFacts>): string {
  const { id, key, name, status, exitCode, signal, program, cwd, attention } = facts;
  const end = status === 'exited' ? ` (${signal ?? `exit code ${exitCode ?? 'unknown'}`})` : '';
  const parts = [
    `${id}: ${name || 'unnamed'}`,
    ...(key === null ? [] : [`key ${key}`]),
    `${status}${end}`,
    ...(program === null ? [] : [program]),
    ...(cwd === null ? [] : [cwd]),
    ...(attention === undefined ? [] : [`attention: ${attention.state} ${attention.text}`.trimEnd()]),
  ];
  return parts.join(' · ');
}

/** As many of the sessions as fit into an answer. */
function fitting(sessions: readonly SessionInfo[]): v.InferOutput<typeof sessionFacts>[] {
  const page: v.InferOutput<typeof sessionFacts>[] = [];
  let bytes = 0;
  for (const session of sessions) {
    const facts = factsOf(session);
    bytes += byteLength(JSON.stringify(facts));
    if (bytes > MCP_TEXT_MAX_BYTES && page.length > 0) break;
    page.push(facts);
  }
  return page;
}
