/**
 * Lists the sessions of the workspace, once each time the page needs to know them.
 *
 *   waiting ──── connected, agent online ────► asking ──── list, layout ────► settled
 *      ▲                                          │                              │
 *      └───────── connection or agent lost ───────┴──────── lost() ──────────────┘
 *
 * Only `waiting` sends a request, so a second connect while one is pending does not start another. [P20]
 */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { Refusal } from '../../../protocol/errors.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import type { Layout } from '../../../protocol/messages/message-parts.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { printable } from '../../../protocol/printable.ts';

export interface FoundSessions {
  /** Includes lost sessions. */
  readonly sessions: readonly SessionInfo[];
  /** The layout that was saved last; null when this window has its own tabs. */
  readonly layout: Layout | null;
  /** While the agent is offline, nothing is created or given up. Its sessions decide once it is back. */
  readonly isOnline: boolean;
}

interface SessionFinderOptions {
  readonly client: WorkspaceClient;
  /** Whether this window has no tabs and needs those from the registry. */
  readonly needsTabs: () => boolean;
  readonly found: (found: FoundSessions) => void;
  /** The request failed; `trouble` may say why. */
  readonly failed: () => void;
}

export class SessionFinder {
  readonly #options: SessionFinderOptions;
  #phase: 'waiting' | 'asking' | 'settled' | 'stopped' = 'waiting';
  #trouble: string | null = null;

  constructor(options: SessionFinderOptions) {
    this.#options = options;
  }

  get isSettled(): boolean {
    return this.#phase === 'settled';
  }

  /** Why the sessions could not be listed; null when nothing failed. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Called when the connection or the agent may have changed. */
  look(): void {
    const { client, needsTabs } = this.#options;
    if (this.#phase !== 'waiting' || this.#trouble !== null) return;
    // The registry answers while the agent is offline, so its tabs can already be shown, waiting.
    if (isOnline(client) || (client.state.name === 'live' && needsTabs())) void this.#ask();
  }

  /** The connection was lost, so the sessions have to be listed again. */
  lost(): void {
    if (this.#phase === 'settled') this.#phase = 'waiting';
  }

  /** Clears a failure so that the next look tries again; false when nothing has failed. */
  retry(): boolean {
    const hasFailed = this.#trouble !== null;
    this.#trouble = null;
    return hasFailed;
  }

  stop(): void {
    this.#phase = 'stopped';
  }

  async #ask(): Promise<void> {
    this.#phase = 'asking';
    const { client, failed, found, needsTabs } = this.#options;
    try {
      // Both at once: opening the page for the first time takes one round trip less.
      const [sessions, layout] = await Promise.all([
        client.list({ lostToo: true }),
        needsTabs() ? client.loadLayout() : null,
      ]);
      if (!this.#isAsking()) return;
      this.#phase = isOnline(client) ? 'settled' : 'waiting';
      found({ sessions, layout, isOnline: isOnline(client) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#isAsking()) return;
      this.#phase = 'waiting';
      if (error.code !== 'agent_offline') this.#trouble = printable(error.message, SENTENCE_MAX_CHARS);
      failed();
    }
  }

  #isAsking(): boolean {
    return this.#phase === 'asking';
  }
}

export function isOnline({ state }: WorkspaceClient): boolean {
  return state.name === 'live' && state.agent.state === 'online';
}
