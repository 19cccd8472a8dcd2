/** `read`: the screen of a session, or what it has printed since an offset. */
import * as v from 'valibot';
import type { AttachedSession } from '../../client/attached-session.ts';
import { NoAnswer } from '../../client/requests/requests.ts';
import { plainText } from '../../client/text/plain-text.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { Refusal } from '../../protocol/errors.ts';
import { MCP_TEXT_MAX_BYTES } from '../../protocol/limits.ts';
import { endOf, endOfPieces } from '../call/bounded-text.ts';
import { OutputReader, type ReadOutput } from '../call/output-reader.ts';
import { within } from '../call/patience.ts';
import { type ToolAnswer, type ToolCall, tool } from '../call/tool.ts';
import { session, whole } from './arguments.ts';

/** As long as the API waits for a session to be attached. */
const READ_WITHIN_MS = 15_000;

const output = v.object({
  kind: v.picklist(['screen', 'output']),
  text: v.string(),
  offset: v.pipe(whole, v.description('The end of what was read; read on with this as since.')),
  cols: v.optional(whole),
  rows: v.optional(whole),
  cursor: v.optional(v.object({ row: whole, col: whole })),
  more: v.optional(v.pipe(v.literal(true), v.description('There is more: read on.'))),
  lostBytes: v.optional(
    v.pipe(whole, v.description('Bytes after since that are no longer kept; the screen is shown instead.')),
  ),
  omittedBytes: v.optional(v.pipe(whole, v.description('Bytes above that are left out.'))),
});

type Read = ToolAnswer<v.InferOutput<typeof output>>;

export const readTool = tool({
  name: 'read',
  title: 'Read a session',
  description: `Without since: the screen as text, its size and the cursor (row and col from 1). With since: what was printed after that offset, as plain text, at most ${MCP_TEXT_MAX_BYTES / 1024} KiB; go on from the offset of the answer.`,
  isReading: true,
  isIdempotent: true,
  input: v.strictObject({
    session,
    since: v.optional(v.pipe(whole, v.description('An offset from an earlier answer.'))),
  }),
  output,
  call: ({ session, since }, call) =>
    since === undefined ? readScreen(call, session) : readOutput(call, session, since),
});

async function readScreen({ host }: ToolCall, session: string, lostBytes = 0): Promise<Read> {
  const { pieces, cols, rows, offset, cursor } = await host.takeScreen(session);
  const { text, omittedBytes } = endOfPieces(pieces, MCP_TEXT_MAX_BYTES);
  const at = cursor === undefined ? '' : `, cursor at row ${cursor.row}, col ${cursor.col}`;
  const notes = [
    ...(lostBytes > 0 ? [`${lostBytes} bytes of output are no longer kept; this is the screen.`] : []),
    `Screen of ${cols}×${rows}${at}; offset ${offset}.`,
    ...(omittedBytes > 0 ? [`The first ${omittedBytes} bytes are left out.`] : []),
  ];
  return {
    facts: {
      ...{ kind: 'screen', text, offset, cols, rows },
      ...(cursor === undefined ? {} : { cursor }),
      ...(lostBytes > 0 ? { lostBytes } : {}),
      ...(omittedBytes > 0 ? { omittedBytes } : {}),
    },
    text: `${notes.join(' ')}\n\n${text}`,
  };
}

async function readOutput(call: ToolCall, session: string, since: number): Promise<Read> {
  const { host, cancelled } = call;
  const read = await host.withOwnClient(cancelled, (client) =>
    within(host.clock, READ_WITHIN_MS, cancelled, outputSince(client, session, since)),
  );
  if (read.lostBytes > 0) return readScreen(call, session, read.lostBytes);
  const { text } = endOf(plainText(read.bytes), MCP_TEXT_MAX_BYTES);
  const { offset } = read;
  const next = read.isCut ? `There is more: read with since=${offset}.` : `The end; offset ${offset}.`;
  return {
    facts: { kind: 'output', text, offset, ...(read.isCut ? { more: true } : {}) },
    text: `${next}\n\n${text}`,
  };
}

/** Attaches the session for as long as it takes to receive what was printed so far. */
async function outputSince(client: WorkspaceClient, id: string, since: number): Promise<ReadOutput> {
  const reader = new OutputReader(since, MCP_TEXT_MAX_BYTES);
  const session = client.attach(id, null, reader, { resume: { offset: since }, history: 'none' });
  try {
    await until(client, () => reader.isOver || isReplayed(client, session));
    return reader.read;
  } finally {
    client.detach(id);
  }
}

function isReplayed({ state: connection }: WorkspaceClient, { state }: AttachedSession): boolean {
  if (state.name === 'gone') throw new Refusal(state.code, state.why);
  if (connection.name === 'refused') throw new NoAnswer(connection.why);
  if (connection.name === 'live' && connection.agent.state === 'offline')
    throw new Refusal('agent_offline', 'The machine is not connected; try again later.');
  return state.name !== 'attaching';
}

/** Resolves when the condition holds, and rejects with what it throws. It is checked after every change. */
function until(client: WorkspaceClient, condition: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      stop();
      act();
    };
    const look = () => {
      try {
        if (condition()) settle(resolve);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const stop = client.onChange(look);
    look();
  });
}
