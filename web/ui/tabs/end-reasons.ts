/**
 * Looks up which rule ended a session that a returning page no longer finds. The registry remembers the reasons. It is
 * asked only once a session turns out to be gone, and one request serves several sessions. [RL15]
 */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { Refusal } from '../../../protocol/errors.ts';
import type { EndReason, SessionInfo } from '../../../protocol/messages/session-info.ts';

export class EndReasons {
  readonly #client: Pick<WorkspaceClient, 'list'>;
  #asking: Promise<readonly SessionInfo[]> | null = null;

  constructor(client: Pick<WorkspaceClient, 'list'>) {
    this.#client = client;
  }

  /** Null when no rule ended the session, and when the reason is unknown. */
  async of(session: string): Promise<EndReason | null> {
    this.#asking ??= this.#ask();
    return (await this.#asking).find(({ id }) => id === session)?.endedBy ?? null;
  }

  async #ask(): Promise<readonly SessionInfo[]> {
    try {
      return await this.#client.list({ lostToo: true });
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    } finally {
      this.#asking = null;
    }
  }
}
