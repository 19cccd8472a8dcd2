/**
 * Builds the agent's first messages on a link: its epoch and its sessions, in pages that each fit into a message. [AG1]
 */

import { INVENTORY_PAGE_BYTES, PROTOCOL_VERSION } from '../../protocol/limits.ts';
import type { AgentMessage } from '../../protocol/messages/agent-message.ts';
import { pagesOf, type SessionInfo } from '../../protocol/messages/session-info.ts';

interface AboutAgent {
  readonly graceMs: number;
  /** Why this process was started with less; null if it was not. */
  readonly trouble: string | null;
  /** The version of this program. */
  readonly build: string | undefined;
}

export function firstWords(
  epoch: string,
  sessions: readonly SessionInfo[],
  { graceMs, trouble, build }: AboutAgent,
): AgentMessage[] {
  const pages = pagesOf(sessions, bytesOf, INVENTORY_PAGE_BYTES);
  const about = {
    ...(graceMs > 0 ? { graceMs } : {}),
    answersReadChecks: true,
    listsCommands: true,
    can: ['run', 'attention', 'digest'],
    ...(trouble === null ? {} : { trouble }),
    ...(build === undefined ? {} : { build }),
  };
  return pages.map((page, index): AgentMessage => {
    const part = { sessions: page, more: index + 1 < pages.length };
    return index === 0
      ? { type: 'hello', version: PROTOCOL_VERSION, epoch, ...part, ...about }
      : { type: 'inventory', ...part };
  });
}

const bytesOf = (session: SessionInfo): number => Buffer.byteLength(JSON.stringify(session));
