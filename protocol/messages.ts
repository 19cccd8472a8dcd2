/**
 * Control messages: JSON text frames, each declared once. The same declaration provides the type and the validation.
 * Rule WF6; the table in README.md says who sends each message and why.
 *
 * Unknown fields are dropped, so that a newer peer may send more than this build understands.
 */
import * as v from 'valibot';
import { ERROR_CODES, ProtocolError } from './errors.ts';
import {
  AGENT_CONTROL_MAX_BYTES,
  ARG_MAX_CHARS,
  ARGS_MAX,
  CLOSE_AFTER_MAX_MS,
  ENVIRONMENT_MAX,
  GRACE_MAX_MS,
  LAYOUT_MAX_TABS,
  NAME_MAX_CHARS,
  PATH_MAX_CHARS,
  PRESENCE_MAX,
  READ_MARK_MAX_CHARS,
  SENTENCE_MAX_CHARS,
  SESSIONS_MAX,
  SIGNAL_MAX_CHARS,
  SIZE_MAX_CELLS,
} from './limits.ts';

// ── Parts ──────────────────────────────────────────────────────────────────────────────────────────

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const handle = v.pipe(count, v.maxValue(0xffff_ffff));
const channel = v.pipe(handle, v.minValue(1));
const cells = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(SIZE_MAX_CELLS));
const id = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'not an id'));
const name = v.pipe(v.string(), v.maxLength(NAME_MAX_CHARS));
const path = v.pipe(v.string(), v.minLength(1), v.maxLength(PATH_MAX_CHARS));
/** An argument of a program, or part of its environment. The agent's own limits for an environment are lower. */
const argument = v.pipe(v.string(), v.maxLength(ARG_MAX_CHARS));
const time = v.pipe(v.string(), v.isoTimestamp());
const signal = v.pipe(v.string(), v.maxLength(SIGNAL_MAX_CHARS));
/** Text for people. Overlong text is cut and not refused, because an honest agent of an earlier build may send it. */
const sentence = cut(SENTENCE_MAX_CHARS);
const readMark = v.pipe(v.string(), v.minLength(1), v.maxLength(READ_MARK_MAX_CHARS));
const closeDelay = v.pipe(count, v.maxValue(CLOSE_AFTER_MAX_MS));
const request = v.pipe(v.string(), v.minLength(1), v.maxLength(64));

const colour = v.pipe(v.string(), v.regex(/^#[0-9a-fA-F]{6}$/, 'not a colour'));
/** The colours of a client's window. Omitted colours are unknown. */
const theme = v.object({
  foreground: v.optional(colour),
  background: v.optional(colour),
  cursor: v.optional(colour),
  /** The 16 palette colours that themes choose, black to bright white. */
  ansi: v.optional(v.pipe(v.array(colour), v.length(16))),
});
/** Colours as `#rrggbb`. */
export type Theme = v.InferOutput<typeof theme>;

export const snapshotFormat = v.picklist(['ansi', 'text', 'html']);
/** `ansi` is output for a fresh terminal, `text` what a person would copy, `html` what a page can show. */
export type SnapshotFormat = v.InferOutput<typeof snapshotFormat>;

export const roleSchema = v.picklist(['agent', 'operator', 'viewer']);
export type Role = v.InferOutput<typeof roleSchema>;
const clientRole = v.picklist(['operator', 'viewer']);
export type ClientRole = v.InferOutput<typeof clientRole>;

/**
 * The rules that end a running session: nobody was attached for too long, nothing happened for too long, or room was
 * needed.
 */
const endReason = v.picklist(['orphan_expired', 'idle', 'evicted']);
export type EndReason = v.InferOutput<typeof endReason>;

/** A session as its agent describes it. */
const toldSession = v.object({
  id,
  key: v.nullable(name),
  name,
  status: v.picklist(['running', 'exited', 'lost']),
  attached: count,
  orphanedSince: v.nullable(time),
  exitCode: v.nullable(v.number()),
  signal: v.nullable(signal),
  /** The rule that ended the session, added by the relay for a session that is gone; absent when none did. [RL15] */
  endedBy: v.optional(endReason),
  cols: cells,
  rows: cells,
  cwd: v.nullable(v.pipe(v.string(), v.maxLength(PATH_MAX_CHARS))),
  title: v.nullable(name),
  /**
   * The program in the foreground: the shell's name while it waits at its prompt, otherwise that of the program or
   * script.
   */
  foreground: v.optional(v.nullable(name), null),
  createdAt: time,
  lastActivityAt: time,
  /** How long the session is kept without clients, if that differs from the agent's setting. [AG10] */
  graceMs: v.optional(count),
  bufferBytes: count,
  epoch: id,
});

/** The public description of a session. The HTTP API answers with the same object. */
export const sessionInfoSchema = v.object({
  ...toldSession.entries,
  /** Who typed last, and when. The relay adds both to lists; an agent cannot set them. [AU5] */
  typedBy: v.optional(name),
  typedAt: v.optional(time),
});
export type SessionInfo = v.InferOutput<typeof sessionInfoSchema>;

/**
 * A session as the relay accepts it from an agent. Programs choose the title, the directory and their own name, and an
 * earlier agent forwards a directory of any length (OSC 7). So a long title is cut, and an impossibly long directory is
 * dropped: part of a path would be another directory.
 */
export const toldSessionSchema = v.object({
  ...toldSession.entries,
  cwd: v.nullable(
    v.pipe(
      v.string(),
      v.transform((path) => (path.length > PATH_MAX_CHARS ? null : path)),
    ),
  ),
  title: v.nullable(cut(NAME_MAX_CHARS)),
  foreground: v.optional(v.nullable(cut(NAME_MAX_CHARS)), null),
});
const told = toldSessionSchema;
const toldSessions = v.pipe(v.array(told), v.maxLength(SESSIONS_MAX));
/** A session in the relay's lists: with who typed last. */
const { typedBy, typedAt } = sessionInfoSchema.entries;
const listedSession = v.object({ ...toldSessionSchema.entries, typedBy, typedAt });
const listedSessions = v.pipe(v.array(listedSession), v.maxLength(SESSIONS_MAX));

function cut(maxChars: number) {
  return v.pipe(
    v.string(),
    v.transform((text) => text.slice(0, maxChars)),
  );
}

const closeReason = v.picklist(['closed', 'exited_expired', ...endReason.options]);
/** Why a session is gone: somebody closed it, one of its times ran out, or it made room. */
export type CloseReason = v.InferOutput<typeof closeReason>;

/** The rule behind the reason; null when somebody closed the session, or it had ended by itself. */
export function endReasonOf(reason: CloseReason): EndReason | null {
  return reason === 'closed' || reason === 'exited_expired' ? null : reason;
}

const agentPresence = v.object({
  state: v.picklist(['online', 'offline']),
  since: v.nullable(time),
  /** When the relay last heard from the agent, heartbeats included. */
  lastSeen: v.optional(v.nullable(time)),
  epoch: v.nullable(id),
  generation: count,
  /** How long the agent keeps a session without clients; absent means for ever. */
  graceMs: v.optional(count),
});
/** Whether the workspace's agent is connected. `generation` counts its connections. */
export type AgentPresence = v.InferOutput<typeof agentPresence>;

/** The tabs of a page, for a browser without tabs of its own. Names are kept for sessions that are gone. */
const layout = v.object({
  tabs: v.pipe(v.array(v.object({ session: id, name })), v.maxLength(LAYOUT_MAX_TABS)),
  active: v.nullable(id),
});
export type Layout = v.InferOutput<typeof layout>;
export const layoutSchema = layout;

// ── Client to relay (most are forwarded to the agent) ──────────────────────────────────────────────

/** Subscribes a client to a session's output, and says what the client already has. */
const attach = {
  instance: id,
  epoch: v.optional(id),
  /** Offset of the first byte that the client does not have; absent when it has nothing. */
  from: v.optional(count),
  /** Bytes of this instance's input known to be taken, in case the agent has forgotten the instance. */
  typed: v.optional(count),
  /** The size of the client's window. A client without one never decides the terminal's size. */
  cols: v.optional(cells),
  rows: v.optional(cells),
  /** The window's colours, which programs can query while this client is the driver. */
  theme: v.optional(theme),
  /** A digest of everything this instance will ever type. If it has already typed something else, it is refused. */
  once: v.optional(id),
  /** The lines above a screen: `none`, or `later` in a second replay. If absent, all of them come with the screen. */
  history: v.optional(v.picklist(['none', 'later'])),
  /** Nobody looks at the session yet: it counts as attached, but gets no output until it attaches without this. */
  hidden: v.optional(v.boolean()),
  /** Also attach if the program has exited, to read what it left; otherwise that is an error. */
  exited: v.optional(v.literal('read')),
  /** The client answers `read_check`. The relay reads this; a client without it is disconnected after a large flood. */
  answersReadChecks: v.optional(v.boolean()),
  /** Report changes of title and program with `session_described`, because a person sees them, for example on a tab. */
  describe: v.optional(v.boolean()),
};

const clientMessages = [
  v.object({
    type: v.literal('list_sessions'),
    request,
    /** Also sessions that are lost or that a rule has ended, for a day. */
    include: v.optional(v.literal('lost')),
  }),
  /** Updates the registry's descriptions, because the foreground program and its directory change without notice. */
  v.object({ type: v.literal('refresh_sessions'), request, session: v.optional(id) }),
  v.object({ type: v.literal('load_layout'), request }),
  v.object({ type: v.literal('save_layout'), request, layout }),
  v.object({
    type: v.literal('create_session'),
    request,
    name: v.optional(name),
    key: v.optional(v.pipe(name, v.minLength(1))),
    command: v.optional(path),
    args: v.optional(v.pipe(v.array(argument), v.maxLength(ARGS_MAX))),
    cwd: v.optional(path),
    env: v.optional(v.pipe(v.record(argument, argument), v.maxEntries(ENVIRONMENT_MAX))),
    cols: cells,
    rows: cells,
    theme: v.optional(theme),
    replaces: v.optional(id),
    /** How long this session is kept without clients, whatever the agent's setting. */
    graceMs: v.optional(v.pipe(count, v.minValue(1), v.maxValue(GRACE_MAX_MS))),
  }),
  v.object({ type: v.literal('reattach_session'), request, session: id, ...attach }),
  /** Nobody looks at the session any more: send no output, only a notice that there is some. */
  v.object({
    type: v.literal('hide_session'),
    session: id,
    /** As in `reattach_session`: whether to report its title and program while it is hidden. */
    describe: v.optional(v.boolean()),
  }),
  v.object({ type: v.literal('detach_session'), session: id }),
  v.object({ type: v.literal('close_session'), request, session: id, afterMs: v.optional(closeDelay) }),
  v.object({ type: v.literal('rename_session'), request, session: id, name }),
  v.object({
    type: v.literal('resize'),
    session: id,
    cols: cells,
    rows: cells,
    theme: v.optional(theme),
    /** This client becomes the driver, although another client typed last. */
    takeOver: v.optional(v.boolean()),
    /** Set by a client that wants to know when it is done. */
    request: v.optional(request),
  }),
  v.object({
    type: v.literal('take_snapshot'),
    request,
    session: id,
    format: snapshotFormat,
    /** The screen only; otherwise also the history above it. */
    scope: v.optional(v.literal('screen')),
  }),
  v.object({ type: v.literal('read_metrics'), request }),
  /** The answer to `read_check`, with the same mark. */
  v.object({ type: v.literal('read'), mark: readMark }),
] as const;
const clientMessage = v.variant('type', clientMessages);
export type ClientMessage = v.InferOutput<typeof clientMessage>;
export type ClientMessageOf<T extends ClientMessage['type']> = Extract<ClientMessage, { type: T }>;

// ── Relay or agent to client ───────────────────────────────────────────────────────────────────────

const serverMessage = v.variant('type', [
  v.object({
    type: v.literal('agent_state'),
    agent: agentPresence,
    /** What this client may do; sent with the first message on a connection. */
    role: v.optional(clientRole),
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
    layout: v.nullable(layout),
    savedAt: v.nullable(time),
  }),
  v.object({
    type: v.literal('session_created'),
    request,
    session: told,
    /** The session already existed: an earlier request had the same key, or replaced the same session. */
    found: v.optional(v.boolean()),
  }),
  v.object({
    type: v.literal('session_reattached'),
    request,
    session: told,
    /** The session's number in data frames, for the agent's epoch. */
    handle,
    /** How many bytes of this instance's input the program has taken. */
    inputOffset: count,
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
  }),
  v.object({ type: v.literal('session_closed'), session: id, reason: closeReason }),
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
  }),
  v.object({
    type: v.literal('session_driver'),
    session: id,
    /** Whether the terminal has the size of this client's window, or of another's. */
    yours: v.boolean(),
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
export type ServerMessage = v.InferOutput<typeof serverMessage>;
export type ServerMessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

// ── Agent to relay ─────────────────────────────────────────────────────────────────────────────────

const agentMessage = v.variant('type', [
  /** Only in answer to a challenge, and then before everything else. [AK4] */
  v.object({ type: v.literal('prove'), mac: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)) }),
  v.object({
    type: v.literal('hello'),
    version: count,
    epoch: id,
    sessions: toldSessions,
    /** More pages follow, as `inventory`; the relay reconciles after the last one. */
    more: v.boolean(),
    /**
     * How long a session without clients is kept; absent or 0 means for ever, so the agent need not learn quickly that
     * clients are gone.
     */
    graceMs: v.optional(count),
    /** The agent answers `read_check`; an agent without this must reconnect after much input. */
    answersReadChecks: v.optional(v.boolean()),
  }),
  v.object({ type: v.literal('inventory'), sessions: toldSessions, more: v.boolean() }),
  v.object({ type: v.literal('session_changed'), session: told }),
  v.object({ type: v.literal('session_gone'), session: id, reason: closeReason }),
  v.object({ type: v.literal('subscribe'), channel, handle }),
  v.object({ type: v.literal('unsubscribe'), channel, handle }),
  v.object({ type: v.literal('to_client'), channel, message: serverMessage }),
  v.object({ type: v.literal('to_clients'), message: serverMessage }),
  v.object({ type: v.literal('ask_presence'), question: request }),
  /** The answer to `read_check`, with the same mark. */
  v.object({ type: v.literal('read'), mark: readMark }),
]);
/**
 * The question of an agent that only checks whether the object still knows it; the relay does not look for dead
 * clients. [CN8]
 */
export const LINK_QUESTION = 'link';

export type AgentMessage = v.InferOutput<typeof agentMessage>;

// ── Relay to agent ─────────────────────────────────────────────────────────────────────────────────

const relayMessage = v.variant('type', [
  v.object({
    type: v.literal('presence'),
    generation: count,
    clients: v.pipe(v.array(v.object({ channel, role: clientRole })), v.maxLength(PRESENCE_MAX)),
    /** Set when this answers an `ask_presence`. */
    question: v.optional(request),
  }),
  v.object({ type: v.literal('client_dropped'), generation: count, channel }),
  v.object({ type: v.literal('from_client'), channel, role: clientRole, message: clientMessage }),
  /** Asks for a `read` message with this mark, which proves that everything before it has been read. */
  v.object({ type: v.literal('read_check'), mark: readMark }),
]);
export type RelayMessage = v.InferOutput<typeof relayMessage>;

// ── Parsers ────────────────────────────────────────────────────────────────────────────────────────

export const parseClientMessage = reader(clientMessage);
export const parseServerMessage = reader(serverMessage);
export const parseAgentMessage = reader(agentMessage);
export const parseRelayMessage = reader(relayMessage);

function reader<M>(schema: v.GenericSchema<unknown, M>): (text: string) => M {
  return (text) => {
    const result = v.safeParse(schema, parseJson(text), { abortEarly: true });
    if (result.success) return result.output;
    throw new ProtocolError(describe(result.issues[0]));
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError('a text frame that is not JSON');
  }
}

/** Names the field, never its value: the value may be a secret, and the message is logged. */
function describe(issue: v.BaseIssue<unknown>): string {
  return `bad message: ${v.getDotPath(issue) ?? 'the message itself'} is not ${issue.expected ?? 'valid'}`;
}
