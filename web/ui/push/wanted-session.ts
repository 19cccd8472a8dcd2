/** The session that somebody wants to see, until it is shown: the connection may be lost while they click. */
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';

interface WantedSessionOptions {
  /** Rejects if the connection is lost. */
  readonly list: () => Promise<readonly SessionInfo[]>;
  /** Shows it in a tab. */
  readonly open: (session: SessionInfo) => void;
}

export class WantedSession {
  #id: string | null = null;

  want(id: string): void {
    this.#id = id;
  }

  /** Shows what is wanted, if it still exists. Called again when the page is connected again. */
  async show({ list, open }: WantedSessionOptions): Promise<void> {
    const id = this.#id;
    if (id === null) return;
    const sessions = await list().catch(() => null);
    // Another one may be wanted meanwhile.
    if (sessions === null || this.#id !== id) return;
    this.#id = null;
    const session = sessions.find((one) => one.id === id);
    if (session !== undefined) open(session);
  }
}
