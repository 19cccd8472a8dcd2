/**
 * What the relay knows of a socket: who is at the other end, and by which credential. It lives in the socket's
 * attachment, because the platform may evict the object between any two events.
 */
import * as v from 'valibot';

/** The part of a token that outlives the request: enough to expire it and to revoke it. Times in ms. */
const credentialSchema = v.object({
  tokenId: v.string(),
  issuedAt: v.number(),
  expiresAt: v.number(),
  /** Who the token was made for (`sub`), as its maker wrote it: not made printable. */
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
  ...seat,
});
export type AgentPeer = Readonly<v.InferOutput<typeof agentPeer>>;

const clientPeer = v.object({
  role: v.picklist(['operator', 'viewer']),
  /** The client's number on the wire: random, never reused. */
  channel: v.number(),
  /** The agent connection these subscriptions were told by; they end with it. [RL4] */
  generation: v.number(),
  handles: v.array(v.number()),
  ...seat,
});
export type ClientPeer = Readonly<Omit<v.InferOutput<typeof clientPeer>, 'handles'>> & {
  readonly handles: readonly number[];
};

export type Peer = AgentPeer | ClientPeer;

const peerSchema = v.union([agentPeer, clientPeer]);

/**
 * Takes the place of a peer that has been reported as gone. It is written before the closing handshake ends,
 * so that the end of that, after any number of evictions, is no second report. [RL5]
 */
export const GONE = null;

/** The peer of an attachment; null for one that has gone, and for what no version of ours wrote. */
export function readPeer(attachment: unknown): Peer | null {
  const result = v.safeParse(peerSchema, attachment);
  return result.success ? result.output : null;
}
