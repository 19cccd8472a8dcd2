/**
 * What the relay knows of a socket: who is at the other end, and by which credential. It lives in the socket's
 * attachment, because the platform may evict the object between any two events.
 */
import * as v from 'valibot';
import { clientKindSchema } from '../../protocol/audit.ts';
import { roleSchema } from '../../protocol/messages.ts';

/** The part of a token that outlives the request: enough to expire it and to revoke it. Times in ms. */
const credentialSchema = v.object({
  tokenId: v.string(),
  issuedAt: v.number(),
  expiresAt: v.number(),
  /** The name of whoever holds the token, printable; absent when the token has none. */
  name: v.optional(v.string()),
});
export type Credential = v.InferOutput<typeof credentialSchema>;

const seat = { credential: credentialSchema, connectedAt: v.number() };

const agentPeer = v.object({
  role: v.literal('agent'),
  /** Counts the agent's connections to this workspace; only the newest is listened to. */
  generation: v.number(),
  /** How long it keeps a session without clients; 0 for good. Told by its `hello`. */
  graceMs: v.number(),
  /** Whether it has told of a session that is kept for a time of its own. */
  sessionsHaveGraces: v.optional(v.boolean(), false),
  /** Whether it said that it answers a `read_check`. [RL25] */
  answersReadChecks: v.optional(v.boolean()),
  /** Whether it has said `hello`, which begins a link and is not said again. [AG1] */
  saidHello: v.optional(v.boolean()),
  ...seat,
});
export type AgentPeer = Readonly<v.InferOutput<typeof agentPeer>>;

/** Was challenged to prove its key, and is nobody until it has. [AK4] */
const pendingAgent = v.object({
  role: v.literal('pending_agent'),
  /** The public key it offers, base64url. */
  key: v.string(),
  /** Its token allows another key than the pinned one. */
  repin: v.boolean(),
  /** The one proof that counts. */
  mac: v.string(),
  ...seat,
});
export type PendingAgent = Readonly<v.InferOutput<typeof pendingAgent>>;

/** Was closed from here, and its end has not come. [RL26] */
const closingPeer = v.object({
  role: v.literal('closing'),
  owner: v.object({ role: roleSchema, tokenId: v.string() }),
  /** What it was sent and has not read. */
  bytes: v.number(),
});
export type ClosingPeer = Readonly<v.InferOutput<typeof closingPeer>>;

const clientPeer = v.object({
  role: v.picklist(['operator', 'viewer']),
  /** The client's number on the wire: random, never reused. */
  channel: v.number(),
  /** The agent connection these subscriptions were told by; they end with it. [RL4] */
  generation: v.number(),
  handles: v.array(v.number()),
  /** What kind of program this is, for people to read; nothing is decided by it. */
  client: v.optional(clientKindSchema),
  /** Whether it said that it answers a `read_check`. [RL25] */
  answersReadChecks: v.optional(v.boolean()),
  /** Sessions it has attached to on this connection, the newest; so that each is recorded once. [AU1] */
  attachedTo: v.optional(v.array(v.string())),
  ...seat,
});
export type ClientPeer = Readonly<Omit<v.InferOutput<typeof clientPeer>, 'handles' | 'attachedTo'>> & {
  readonly handles: readonly number[];
  readonly attachedTo?: readonly string[] | undefined;
};

export type Peer = AgentPeer | ClientPeer;

const peerSchema = v.union([agentPeer, clientPeer]);

/** Takes the place of a peer that has gone. */
export const GONE = null;

/** Null for every other attachment. */
export function readPendingAgent(attachment: unknown): PendingAgent | null {
  const result = v.safeParse(pendingAgent, attachment);
  return result.success ? result.output : null;
}

/** Null for every other attachment. */
export function readClosingPeer(attachment: unknown): ClosingPeer | null {
  const result = v.safeParse(closingPeer, attachment);
  return result.success ? result.output : null;
}

/** The peer of an attachment; null for one that has gone, and for what no version of ours wrote. */
export function readPeer(attachment: unknown): Peer | null {
  const result = v.safeParse(peerSchema, attachment);
  return result.success ? result.output : null;
}
