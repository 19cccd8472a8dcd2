/** What the agent's settings say about the limits of its sessions. */
import type { SessionLimits } from './session/manager-options.ts';
import type { AgentConfig } from './settings/config.ts';

export function sessionLimits(config: AgentConfig): SessionLimits {
  return {
    historyBytes: config.outputBufferBytes,
    maxSessions: config.maxSessions,
    whenFull: config.maxSessionsPolicy,
    orphanGraceMs: config.orphanGraceSeconds * 1000,
    idleTimeoutMs: config.idleTimeoutSeconds * 1000,
    exitedKeepMs: config.exitedKeepSeconds * 1000,
  };
}
