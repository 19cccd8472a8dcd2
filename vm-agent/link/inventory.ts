/**
 * Builds the agent's first messages on a link: its epoch and its sessions, in pages that each fit into a message. [AG1]
 */

import type { AgentMessage } from '../../protocol/agent-message.ts';
import { INVENTORY_PAGE_BYTES, PROTOCOL_VERSION } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/session-info.ts';

export function firstWords(epoch: string, sessions: readonly SessionInfo[], graceMs: number): AgentMessage[] {
  const pages = pagesOf(sessions);
  const about = { ...(graceMs > 0 ? { graceMs } : {}), answersReadChecks: true };
  return pages.map((page, index): AgentMessage => {
    const part = { sessions: page, more: index + 1 < pages.length };
    return index === 0
      ? { type: 'hello', version: PROTOCOL_VERSION, epoch, ...part, ...about }
      : { type: 'inventory', ...part };
  });
}

/** At least one page, which may be empty. */
function pagesOf(sessions: readonly SessionInfo[]): SessionInfo[][] {
  const pages: SessionInfo[][] = [[]];
  let bytes = 0;
  for (const session of sessions) {
    const length = Buffer.byteLength(JSON.stringify(session));
    if (bytes + length > INVENTORY_PAGE_BYTES) {
      pages.push([]);
      bytes = 0;
    }
    pages.at(-1)?.push(session);
    bytes += length;
  }
  return pages;
}
