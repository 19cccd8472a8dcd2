/** What the relay has said that a client may do. It stays known while the connection is down. */
import type { ServerMessageOf } from '../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';

export class ClientAccess {
  #role: ClientRole | null = null;
  #isGuest = false;
  #onlySession: string | null = null;

  /** Null until the relay has said so. */
  get role(): ClientRole | null {
    return this.#role;
  }

  /** Whether this client came by a share link, or sees one session only; then it administers nothing. [SL2] */
  get isGuest(): boolean {
    return this.#isGuest;
  }

  /** The only session that this client sees; null for all. Then it creates, renames and closes none. [SL5] */
  get onlySession(): string | null {
    return this.#onlySession;
  }

  /** The first message on a connection says it, which another login may have made. Later ones do not. */
  told({ role, guest = false, session }: ServerMessageOf<'agent_state'>): void {
    if (role === undefined) return;
    this.#role = role;
    this.#isGuest = guest;
    this.#onlySession = session ?? null;
  }
}
