/**
 * Reports about the workspace for the HTTP API. They are read from the registry, so they work while the agent is
 * offline.
 */
import type { AgentPresence } from '../../protocol/messages/server-message.ts';
import type { Role } from '../../protocol/roles.ts';
import { ownerOf } from '../peers/owner.ts';
import type { Audience } from '../peers/people.ts';
import { scopedPresence } from '../peers/scope.ts';
import { byteLength } from '../platform/byte-length.ts';
import type { PushCounts } from '../registry/push-queue.ts';
import { withSessions } from '../registry/session-lists.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

export interface WorkspaceHealth {
  readonly agent: AgentPresence;
  /** Orphaned sessions are included in the running ones. */
  readonly sessions: { readonly running: number; readonly orphaned: number; readonly exited: number };
  readonly clients: number;
}

export function workspaceHealth(room: WorkspaceSockets): WorkspaceHealth {
  return {
    agent: room.agentPresence(),
    sessions: room.registry.sessions.counts(),
    clients: room.board.clientCount,
  };
}

/** For the metrics. */
export interface WorkspaceFigures {
  readonly health: WorkspaceHealth;
  readonly pushes: PushCounts;
  readonly subscriptions: number;
}

export function workspaceFigures(room: WorkspaceSockets): WorkspaceFigures {
  const { pushes, subscriptions } = room.registry;
  return {
    health: workspaceHealth(room),
    pushes: pushes.counts(),
    subscriptions: subscriptions.list().length,
  };
}

/** How many sessions are looked at in the time of one unit of a turn, whether they are listed or not. */
const LISTED_ROWS_PER_UNIT = 16;

/** The list as JSON, or how long the token must wait because it asked for many long lists. [RL16] */
export type SessionsReport =
  | { readonly kind: 'json'; readonly json: string }
  | { readonly kind: 'slow_down'; readonly retryAfterMs: number };

export function sessionsReport(
  room: WorkspaceSockets,
  { key, missingToo }: { readonly key: string | null; readonly missingToo: boolean },
  caller: Audience & { readonly role: Role },
  now: number,
): SessionsReport {
  const owner = ownerOf(caller);
  const retryAfterMs = room.lists.waitMs(owner, now);
  if (retryAfterMs > 0) return { kind: 'slow_down', retryAfterMs };
  room.turn.spend(room.registry.sessions.size / LISTED_ROWS_PER_UNIT, now);
  const { session } = caller;
  const field = room.people.fieldFor(caller);
  const texts = room.registry.sessions.texts({ missingToo, key, now, only: session, field });
  const agent = session === undefined ? room.agentPresence() : scopedPresence(room.agentPresence());
  const json = withSessions({ agent }, texts);
  room.lists.took(owner, byteLength(json), now);
  return { kind: 'json', json };
}
