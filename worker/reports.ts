/** What the workspace tells about itself over HTTP. Read from the registry, so also while its agent is away. */
import type { AgentPresence, SessionInfo } from '../protocol/messages.ts';
import type { Room } from './room.ts';

export interface WorkspaceHealth {
  readonly agent: AgentPresence;
  /** Orphaned sessions are among the running ones. */
  readonly sessions: { readonly running: number; readonly orphaned: number; readonly exited: number };
  readonly clients: number;
}

export interface SessionsReport {
  readonly agent: AgentPresence;
  readonly sessions: readonly SessionInfo[];
}

export function workspaceHealth(room: Room): WorkspaceHealth {
  return { agent: room.agentPresence(), sessions: room.registry.counts(), clients: room.board.clientCount };
}

export function sessionsReport(
  room: Room,
  { key, missingToo }: { readonly key: string | null; readonly missingToo: boolean },
  now: number,
): SessionsReport {
  const sessions = room.registry.sessions({ missingToo, now });
  return {
    agent: room.agentPresence(),
    sessions: key === null ? sessions : sessions.filter((session) => session.key === key),
  };
}
