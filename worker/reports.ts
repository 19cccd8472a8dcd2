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

export function workspaceHealth(room: Room, now: number): WorkspaceHealth {
  const sessions = room.registry.sessions({ missingToo: false, now });
  const running = sessions.filter((session) => session.status === 'running');
  return {
    agent: room.agentPresence(),
    sessions: {
      running: running.length,
      orphaned: running.filter((session) => session.attached === 0).length,
      exited: sessions.length - running.length,
    },
    clients: room.board.clientCount,
  };
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
