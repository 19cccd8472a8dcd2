/** A session as a scripted agent would describe it. */
import type { SessionInfo } from '../../protocol/messages/session-info.ts';

export function sessionInfo(id: string, changes: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id,
    key: null,
    name: id,
    status: 'running',
    attached: 0,
    orphanedSince: null,
    exitCode: null,
    signal: null,
    cols: 80,
    rows: 24,
    cwd: null,
    title: null,
    foreground: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    lastActivityAt: '2026-01-01T00:00:00.000Z',
    bufferBytes: 0,
    epoch: 'epoch-1',
    ...changes,
  };
}
