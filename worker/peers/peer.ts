/**
 * What the relay knows about a socket: who is at the other end, and with which credential. It is stored in the socket's
 * attachment, because the platform may evict the object between any two events.
 */
import * as v from 'valibot';
import { clientKindSchema } from '../../protocol/audit.ts';
import { clientRoleSchema, roleSchema } from '../../protocol/roles.ts';

/** The part of a token that is kept after the request: enough to expire and to revoke it. Times in ms. */
const credentialSchema = v.object({
  tokenId: v.string(),
  issuedAt: v.number(),
  expiresAt: v.number(),
  /** The token holder's name, made printable; absent when the token has none. */
  name: v.optional(v.string()),
});
export type Credential = v.InferOutput<typeof credentialSchema>;

const seat = { credential: credentialSchema, connectedAt: v.number() };

const agentPeer = v.object({
  role: v.literal('agent'),
  /** Counts the agent's connections to this workspace; only the newest is listened to. */
  generation: v.number(),
  /** How long the agent keeps a session without clients, from its `hello`; 0 means for ever. */
  graceMs: v.number(),
  /** Whether the agent has reported a session with its own grace period. */
  sessionsHaveGraces: v.optional(v.boolean(), false),
  /** Whether the agent said that it answers `read_check`. [RL25] */
  answersReadChecks: v.optional(v.boolean()),
  /** Whether the agent said that it answers `list_commands`. */
  listsCommands: v.optional(v.boolean()),
  /** What the agent said that it can do. [RL30] */
  can: v.optional(v.array(v.string())),
  /** Why it was started with less, from its `hello`. */
  trouble: v.optional(v.string()),
  /** The version of its program, from its `hello`. */
  build: v.optional(v.string()),
  /** Whether the agent has sent `hello`, which begins a link and may be sent only once. [AG1] */
  saidHello: v.optional(v.boolean()),
  ...seat,
});
export type AgentPeer = Readonly<v.InferOutput<typeof agentPeer>>;

/** An agent that was challenged to prove its key. It has no rights until it has. [AK4] */
const pendingAgent = v.object({
  role: v.literal('pending_agent'),
  /** The public key it offers, as base64url. */
  key: v.string(),
  /** The token allows a key other than the pinned one. */
  repin: v.boolean(),
  /** The only proof that is accepted. */
  mac: v.string(),
  ...seat,
});
export type PendingAgent = Readonly<v.InferOutput<typeof pendingAgent>>;

/** A connection that the relay has closed and that has not ended yet. [RL26] */
const closingPeer = v.object({
  role: v.literal('closing'),
  owner: v.object({ role: roleSchema, tokenId: v.string() }),
  /** Bytes it was sent and has not read. */
  bytes: v.number(),
});
export type ClosingPeer = Readonly<v.InferOutput<typeof closingPeer>>;

const clientPeer = v.object({
  role: clientRoleSchema,
  /** The client's number on the wire: random, never reused. */
  channel: v.number(),
  /** The agent connection that made these subscriptions. They end with it. [RL4] */
  generation: v.number(),
  handles: v.array(v.number()),
  /** The kind of program, for people to read; nothing depends on it. */
  client: v.optional(clientKindSchema),
  /** Whether the client said that it answers `read_check`. [RL25] */
  answersReadChecks: v.optional(v.boolean()),
  /** The only session that it sees; absent for all. [SL5] */
  session: v.optional(v.string()),
  /** The number of that session in frames, on this connection of the agent. [SL6] */
  own: v.optional(v.object({ generation: v.number(), handle: v.number() })),
  /** The most recent sessions attached to on this connection, so that each attach is recorded once. [AU1] */
  attachedTo: v.optional(v.array(v.string())),
  /** The sessions that it shows now, those shown last at the end. [PP2] */
  watching: v.optional(v.array(v.string())),
  /** The sessions whose size its window decides, as far as the agent has said. [PP2] */
  drives: v.optional(v.array(v.string())),
  /** Whether it asked to be told of people. [PP3] */
  isToldPeople: v.optional(v.boolean()),
  ...seat,
});
type Lists = 'handles' | 'attachedTo' | 'watching' | 'drives';
export type ClientPeer = Readonly<Omit<v.InferOutput<typeof clientPeer>, Lists>> & {
  readonly watching?: readonly string[] | undefined;
  readonly drives?: readonly string[] | undefined;
  readonly handles: readonly number[];
  readonly attachedTo?: readonly string[] | undefined;
};

export type Peer = AgentPeer | ClientPeer;

/** Whether the client is an HTTP stream or a terminal in single-terminal mode, which end in the Worker. */
export function endsInWorker(peer: Peer | undefined): peer is ClientPeer {
  return peer !== undefined && peer.role !== 'agent' && (peer.client === 'api' || peer.client === 'terminal');
}

/** The attachment of a peer that has left. */
export const GONE = null;

/** What a socket is, as its attachment says. */
type Attachment = Peer | PendingAgent | ClosingPeer | typeof GONE;

const attachmentSchema = v.variant('role', [agentPeer, clientPeer, pendingAgent, closingPeer]);

/** `GONE` also for data that none of our versions wrote. */
export function readAttachment(value: unknown): Attachment {
  const result = v.safeParse(attachmentSchema, value);
  return result.success ? result.output : GONE;
}
