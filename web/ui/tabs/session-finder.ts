/**
 * Finds out which sessions there are, once for every time the page has to know.
 *
 *   waiting ──── connected, agent online ────► asking ──── list, layout ────► settled
 *      ▲                                          │                              │
 *      └───────── connection or agent lost ───────┴──────── lost() ──────────────┘
 *
 * Only `waiting` leads to a list, so that a second connect during a pending flow starts no second one. [P20]
 */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { Refusal } from '../../../protocol/errors.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import type { Layout, SessionInfo } from '../../../protocol/messages.ts';
import { printable } from '../../../protocol/printable.ts';

export interface FoundSessions {
  /** Those that are lost, too. */
  readonly sessions: readonly SessionInfo[];
  /** The tabs some browser had last; null when this window has its own. */
  readonly layout: Layout | null;
  /** While the machine is away nothing is created or given up: what it has decides when it is back. */
  readonly isOnline: boolean;
}

interface SessionFinderOptions {
  readonly client: WorkspaceClient;
  /** Whether this window has no tabs, and needs those of the registry. */
  readonly needsTabs: () => boolean;
  readonly found: (found: FoundSessions) => void;
  /** It did not work out; `trouble` may say why. */
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

  /** Why the sessions could not be found, when that is so. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** The connection or the agent may have changed. */
  look(): void {
    const { client, needsTabs } = this.#options;
    if (this.#phase !== 'waiting' || this.#trouble !== null) return;
    // The registry answers while the machine is away: its tabs can be shown, and wait.
    if (isOnline(client) || (client.state.name === 'live' && needsTabs())) void this.#ask();
  }

  /** What was found does not hold any more: the connection was lost meanwhile. */
  lost(): void {
    if (this.#phase === 'settled') this.#phase = 'waiting';
  }

  /** Another try for what did not work out before; false when nothing has failed. */
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
      // Both at once: whoever opens the page for the first time waits for one answer less.
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
