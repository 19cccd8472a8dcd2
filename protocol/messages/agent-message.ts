/** The messages that the relay and the agent send each other. The table in README.md says why each is sent. */
import * as v from 'valibot';
import { AGENT_VERSION_MAX_CHARS, PRESENCE_MAX } from '../limits.ts';
import { clientRoleSchema } from '../roles.ts';
import { clientMessageSchema } from './client-message.ts';
import {
  abilities,
  channel,
  count,
  cut,
  handle,
  id,
  name,
  readMark,
  request,
  trouble,
} from './message-parts.ts';
import { messageReader } from './message-reader.ts';
import { serverMessageSchema } from './server-message.ts';
import { closeReasonSchema, toldSessionSchema, toldSessions } from './session-info.ts';

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
    /** The agent answers `list_commands`, and `take_snapshot` with `command`. */
    listsCommands: v.optional(v.boolean()),
    /** What the agent can do beyond the first version of the protocol. [RL30] */
    can: v.optional(abilities),
    /** Why the agent was started with less than was kept for it; absent if it was not. */
    trouble: v.optional(trouble),
    /** The version of the program, for people to read. Nothing depends on it. */
    build: v.optional(cut(AGENT_VERSION_MAX_CHARS)),
  }),
  v.object({ type: v.literal('inventory'), sessions: toldSessions, more: v.boolean() }),
  v.object({ type: v.literal('session_changed'), session: toldSessionSchema }),
  v.object({ type: v.literal('session_gone'), session: id, reason: closeReasonSchema }),
  v.object({ type: v.literal('subscribe'), channel, handle }),
  v.object({ type: v.literal('unsubscribe'), channel, handle }),
  v.object({ type: v.literal('to_client'), channel, message: serverMessageSchema }),
  v.object({ type: v.literal('to_clients'), message: serverMessageSchema }),
  v.object({ type: v.literal('ask_presence'), question: request }),
  /** The answer to `read_check`, with the same mark. */
  v.object({ type: v.literal('read'), mark: readMark }),
]);
export type AgentMessage = v.InferOutput<typeof agentMessage>;

export const parseAgentMessage = messageReader(agentMessage);

/**
 * The question of an agent that only checks whether the object still knows it; the relay does not look for dead
 * clients. [CN8]
 */
export const LINK_QUESTION = 'link';

// ── Relay to agent ─────────────────────────────────────────────────────────────────────────────────

const relayMessage = v.variant('type', [
  v.object({
    type: v.literal('presence'),
    generation: count,
    clients: v.pipe(v.array(v.object({ channel, role: clientRoleSchema })), v.maxLength(PRESENCE_MAX)),
    /** Set when this answers an `ask_presence`. */
    question: v.optional(request),
  }),
  v.object({ type: v.literal('client_dropped'), generation: count, channel }),
  v.object({
    type: v.literal('from_client'),
    channel,
    role: clientRoleSchema,
    /** Who it is, as its credential says; only with messages for which it matters, and absent from earlier relays. */
    name: v.optional(name),
    message: clientMessageSchema,
  }),
  /** Asks for a `read` message with this mark, which proves that everything before it has been read. */
  v.object({ type: v.literal('read_check'), mark: readMark }),
]);
export type RelayMessage = v.InferOutput<typeof relayMessage>;

export const parseRelayMessage = messageReader(relayMessage);
