/**
 * The messages that a client is sent: by the relay, or by the agent through the relay. The table in README.md says who
 * sends each, and why.
 */
import * as v from 'valibot';
import { ERROR_CODES, type Refusal } from '../errors.ts';
import { AGENT_CONTROL_MAX_BYTES, NAME_MAX_CHARS } from '../limits.ts';
import { clientRoleSchema } from '../roles.ts';
import { attentionSchema } from './attention.ts';
import { sessionCommandSchema, sessionCommands } from './command-info.ts';
import { sessionDigests } from './digest.ts';
import { keyboardHolderSchema } from './keyboard-holder.ts';
import {
  abilities,
  cells,
  count,
  cut,
  handle,
  id,
  layoutSchema,
  name,
  readMark,
  request,
  sentence,
  signal,
  snapshotFormat,
  time,
  trouble,
  widths,
} from './message-parts.ts';
import { messageReader } from './message-reader.ts';
import { peopleSchema } from './people.ts';
import { runStateSchema } from './run-state.ts';
import { closeReasonSchema, listedSessions, progress, toldSessionSchema } from './session-info.ts';

const agentPresence = v.object({
  state: v.picklist(['online', 'offline']),
  since: v.nullable(time),
  /** When the relay last heard from the agent, heartbeats included. */
  lastSeen: v.optional(v.nullable(time)),
  epoch: v.nullable(id),
  generation: count,
  /** How long the agent keeps a session without clients; absent means for ever. */
  graceMs: v.optional(count),
  /** The agent answers `list_commands`; absent if it does not. */
  listsCommands: v.optional(v.boolean()),
  /** What the agent can do beyond the first version of the protocol; absent if nothing. [RL30] */
  can: v.optional(abilities),
  /** Why the agent was started with less than was kept for it; absent if it was not. */
  trouble: v.optional(trouble),
});
/** Whether the workspace's agent is connected. `generation` counts its connections. */
export type AgentPresence = v.InferOutput<typeof agentPresence>;

export const serverMessageSchema = v.variant('type', [
  v.object({
    type: v.literal('agent_state'),
    agent: agentPresence,
    /** What this client may do; sent with the first message on a connection. */
    role: v.optional(clientRoleSchema),
    /** With the role: this client came by a share link, or sees one session; and which one. [SL2] [SL5] */
    guest: v.optional(v.boolean()),
    session: v.optional(id),
  }),
  v.object({ type: v.literal('sessions_refreshed'), request }),
  v.object({
    type: v.literal('session_list'),
    request,
    agent: agentPresence,
    sessions: listedSessions,
    /** More pages follow, with the same request. */
    more: v.optional(v.boolean()),
  }),
  v.object({
    type: v.literal('layout'),
    request,
    layout: v.nullable(layoutSchema),
    savedAt: v.nullable(time),
  }),
  v.object({
    type: v.literal('session_created'),
    request,
    session: toldSessionSchema,
    /** The session already existed: an earlier request had the same key, or replaced the same session. */
    found: v.optional(v.boolean()),
  }),
  v.object({
    type: v.literal('session_reattached'),
    request,
    session: toldSessionSchema,
    /** The session's number in data frames, for the agent's epoch. */
    handle,
    /** How many bytes of this instance's input the program has taken. */
    inputOffset: count,
    /** What proves that a mark in the output was made by the agent's script; absent from earlier agents. */
    marksNonce: v.optional(id),
  }),
  v.object({
    type: v.literal('scrollback'),
    session: id,
    handle,
    kind: v.picklist(['delta', 'snapshot']),
    /** The replay that follows covers the output in [from, to). A snapshot shows the screen as it was at `from`. */
    from: count,
    to: count,
    /** Bytes skipped between what the client has and what it gets. */
    lost: count,
    /** The terminal's size at `from`. */
    cols: cells,
    rows: cells,
    /** Length of the snapshot in raw deflate, sent in `snapshot` frames; zero without one. */
    bytes: count,
    /** The same screen as already shown, with the history above it. */
    history: v.optional(v.boolean()),
    /** How the session's text is measured. Absent from agents that know only the tables of Unicode 6. */
    widths: v.optional(widths),
  }),
  v.object({ type: v.literal('session_closed'), session: id, reason: closeReasonSchema }),
  v.object({ type: v.literal('session_renamed'), session: id, name }),
  v.object({ type: v.literal('session_resized'), request, session: id, cols: cells, rows: cells }),
  v.object({
    type: v.literal('snapshot_taken'),
    request,
    session: id,
    handle,
    format: snapshotFormat,
    /** The snapshot shows the output up to this offset. */
    offset: count,
    cols: cells,
    rows: cells,
    /** Length of the snapshot in raw deflate of UTF-8, sent in the `snapshot` frames that follow at once. */
    bytes: count,
    /** Lines of history left out because the snapshot would be too large; absent when none were. */
    linesAbove: v.optional(count),
    /** The command whose output this is; absent if it is the screen. */
    command: v.optional(count),
    /** With `command`: bytes at the beginning of its output that are no longer kept; absent when none are missing. */
    lost: v.optional(count),
    /** Of a screen as text: the cell in which the cursor is, counted from 1. Absent from earlier agents. */
    cursor: v.optional(v.object({ row: cells, col: cells })),
  }),
  v.object({
    type: v.literal('command_list'),
    request,
    session: id,
    /** Oldest first. */
    commands: sessionCommands,
    /** More pages follow, with the same request. */
    more: v.optional(v.boolean()),
  }),
  /** Answers `run_command`. */
  v.object({ type: v.literal('run_state'), request, session: id, run: runStateSchema }),
  /** Answers `type_text`: it was typed when the output was `offset` bytes long. */
  v.object({ type: v.literal('text_typed'), request, session: id, offset: count }),
  /** Answers `signal_session`. */
  v.object({
    type: v.literal('session_signalled'),
    request,
    session: id,
    /** The program that got the signal; null if its name is unknown. */
    program: v.nullable(cut(NAME_MAX_CHARS)),
  }),
  /** Answers `await_session`; without `command` and `attention`, it did not happen in time. */
  v.object({
    type: v.literal('session_awaited'),
    request,
    session: id,
    command: v.optional(sessionCommandSchema),
    attention: v.optional(attentionSchema),
    /** The end of the output. */
    offset: count,
  }),
  v.object({
    type: v.literal('digest'),
    request,
    sessions: sessionDigests,
    /** More pages follow, with the same request. */
    more: v.optional(v.boolean()),
  }),
  /** The agent's metrics in Prometheus text format. */
  v.object({
    type: v.literal('metrics'),
    request,
    text: v.pipe(v.string(), v.maxLength(AGENT_CONTROL_MAX_BYTES)),
  }),
  /** Asks for a `read` message with this mark, which proves that everything before it has been read. */
  v.object({ type: v.literal('read_check'), mark: readMark }),
  v.object({
    type: v.literal('session_activity'),
    session: id,
    /** True when the bell rang; false when something was only printed. */
    bell: v.boolean(),
  }),
  v.object({
    type: v.literal('session_described'),
    session: id,
    title: v.nullable(cut(NAME_MAX_CHARS)),
    foreground: v.nullable(cut(NAME_MAX_CHARS)),
    /** Absent when no program reports one. */
    progress: v.optional(progress),
    /** Absent unless an assistant has the keyboard, or waits for it. */
    keyboard: v.optional(keyboardHolderSchema),
    /** Absent while the session wants none. */
    attention: v.optional(attentionSchema),
  }),
  v.object({
    type: v.literal('session_driver'),
    session: id,
    /** Whether the terminal has the size of this client's window, or of another's. */
    yours: v.boolean(),
  }),
  v.object({
    type: v.literal('session_people'),
    session: id,
    /** Empty when nobody watches the session. */
    people: peopleSchema,
  }),
  v.object({
    type: v.literal('session_exited'),
    session: id,
    exitCode: v.nullable(v.number()),
    signal: v.nullable(signal),
    /** The end of the output. A client shows the exit only after all output below this offset. */
    offset: count,
  }),
  v.object({
    type: v.literal('error'),
    code: v.picklist(ERROR_CODES),
    message: sentence,
    request: v.optional(request),
    session: v.optional(id),
    /** With `slow_down`: send nothing for this long. */
    retryAfterMs: v.optional(count),
  }),
]);
export type ServerMessage = v.InferOutput<typeof serverMessageSchema>;
/**
 * Messages that only the relay may send: lists with who typed last, the agent's own state, saved tabs, read checks,
 * people. [AU5] [PP1]
 */
export const FROM_THE_RELAY: ReadonlySet<ServerMessage['type']> = new Set([
  'agent_state',
  'layout',
  'session_list',
  'read_check',
  'session_people',
]);
export type ServerMessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

/** The fields of a message that its refusal repeats. */
export interface RefusedMessage {
  readonly type?: string;
  readonly request?: string | undefined;
  readonly session?: string | undefined;
}

/** A refusal as it is sent. */
export function errorMessage(
  { code, message }: Refusal,
  { request, session }: RefusedMessage = {},
  retryAfterMs?: number,
): ServerMessageOf<'error'> {
  return {
    type: 'error',
    code,
    message,
    ...(request === undefined ? {} : { request }),
    ...(session === undefined ? {} : { session }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

export const parseServerMessage = messageReader(serverMessageSchema);
